import { readFileSync } from 'node:fs'

/**
 * Whether the process that recorded itself is still the one behind its pid. `startedAt` comes from
 * `startTicks`; a host without /proc has none, and then the pid alone decides.
 */
export function isRunning(pid: number, startedAt: string | null): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return startedAt === null || startTicks(pid) === startedAt
}

/** When a process began, in the kernel's own count: with the pid it names one process for good. */
export function startTicks(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in brackets that may contain anything, brackets and spaces included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

/** False when there is no such process (any more). */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
