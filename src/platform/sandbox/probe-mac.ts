import { statSync } from 'node:fs'
import { release } from 'node:os'
import { keep, readKept } from './kept-probe.ts'
import { loadSeatbelt } from './load-seatbelt.ts'
import type { ProbeOptions, SandboxHost } from './probe.ts'

/** Part of the system, in a folder that not even root can write to. Never from the PATH. */
const SANDBOX_EXEC = '/usr/bin/sandbox-exec'

/**
 * What macOS can hold programs back with. What was found holds for a day, for no file tells when the system was
 * started, and until the system is another.
 */
export async function probeMac({
  starter,
  folder,
  sandboxExec,
  timeoutMs,
}: ProbeOptions): Promise<SandboxHost> {
  const command = sandboxExec ?? SANDBOX_EXEC
  const mtimeMs = statSync(command, { throwIfNoEntry: false })?.mtimeMs
  const uid = process.getuid?.() ?? -1
  const today = new Date().toISOString().slice(0, 10)
  const key = ['mac', FORMAT, command, mtimeMs, release(), uid, process.execPath, today].join(' ')
  const kept = readKept(folder, key)
  if (kept !== undefined) return kept
  const why = mtimeMs === undefined ? `${command} is not there` : await probe()
  const common = { launcher: false, filter: false, landlock: 0, counting: 'none' as const }
  return keep(folder, key, {
    tiers: [
      ...(why === undefined ? [{ ...common, backend: 'seatbelt' as const }] : []),
      { ...common, backend: 'none' },
    ],
    ...(why === undefined ? { seatbelt: { path: command } } : {}),
    missing: why === undefined ? {} : { seatbelt: why },
  })

  async function probe(): Promise<string | undefined> {
    const { probeSeatbelt } = await loadSeatbelt()
    return probeSeatbelt({ starter, command, folder, ...(timeoutMs !== undefined && { timeoutMs }) })
  }
}

/** Changes with what is kept, and with what is tried. */
const FORMAT = 1
