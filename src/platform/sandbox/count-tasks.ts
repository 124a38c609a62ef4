import { readdirSync, statSync } from 'node:fs'

/** Processes and threads of this user, as the system counts them against a limit. */
export function countTasks(): number {
  const uid = process.getuid?.()
  let count = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      if (statSync(`/proc/${pid}`).uid === uid) count += readdirSync(`/proc/${pid}/task`).length
    } catch {
      // It ended meanwhile.
    }
  }
  return count
}
