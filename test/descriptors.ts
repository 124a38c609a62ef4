import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

export const canTakeDescriptors = spawnSync('prlimit', ['--version']).status === 0

/** Does something while this process can open nothing: what a user's limits look like from inside. Needs prlimit. */
export function withoutDescriptors(act: () => void): void {
  execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=512:'])
  const taken = takeAll()
  try {
    act()
  } finally {
    for (const fd of taken) closeSync(fd)
  }
}

function takeAll(): number[] {
  const taken: number[] = []
  for (;;) {
    try {
      taken.push(openSync('/dev/null', 'r'))
    } catch {
      return taken
    }
  }
}
