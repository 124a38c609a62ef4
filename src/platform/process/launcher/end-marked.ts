import { setTimeout as pause } from 'node:timers/promises'
import type { Descendants } from '../descendants.ts'

/** An exec shows no environment for some microseconds: one empty look is not enough. */
const CLEAN_ROUNDS = 3
const LONGEST_MS = 2_000

/**
 * Ends everything that carries the token, once nobody is left who knew the processes. The programs themselves go
 * with the launcher; this is for what they had started.
 */
export async function endMarked(descendants: Descendants, token: string): Promise<void> {
  const deadline = performance.now() + LONGEST_MS
  for (let clean = 0; clean < CLEAN_ROUNDS && performance.now() < deadline; clean++) {
    // No process has this number: only the token decides.
    const { living } = await descendants.all({ pid: Number.MAX_SAFE_INTEGER, marker: token, at: 0 })
    if (living.length > 0) clean = -1
    for (const { pid } of living) endOne(pid)
    await pause(10)
  }
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended meanwhile.
  }
}
