import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../pid.ts'
import { waitUntil } from '../wait.ts'
import { groupFolders } from './group-folders.ts'

/** A control group of Linux: the system counts what runs in it, root's processes too. */
export interface TaskGroup {
  /** Whoever writes 0 to this file joins. */
  readonly procs: string
  /** For when all that ran in it has ended. */
  close(): Promise<void>
}

/** Where groups that count can be made; undefined where this user may make none. */
export function findGroupParent(): string | undefined {
  try {
    const own = readFileSync('/proc/self/cgroup', 'utf8')
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    return groupFolders(own, mounts).find(
      ({ folder, version }) => version === 1 || countsBelow(join(folder, 'cgroup.subtree_control')),
    )?.folder
  } catch {
    return undefined
  }
}

function countsBelow(control: string): boolean {
  try {
    return readFileSync(control, 'utf8').split(/\s/).includes('pids')
  } catch {
    return false
  }
}

let made = 0

/** Holds this many processes and threads and no more. Throws what the system says. */
export function makeTaskGroup(parent: string, most: number): TaskGroup {
  if (made === 0) sweepGroups(parent)
  const folder = makeFolder(parent)
  try {
    writeFileSync(join(folder, 'pids.max'), String(most))
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return { procs: join(folder, 'cgroup.procs'), close: () => removeGroup(folder) }
}

const NAME = 'orla-'

/** A number may be taken: by what a killed Orla with our own process number left, or by one of another namespace. */
function makeFolder(parent: string): string {
  for (let tries = 0; ; tries++) {
    made += 1
    const folder = join(parent, `${NAME}${process.pid}-${made}`)
    try {
      mkdirSync(folder)
      return folder
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries === MOST_TRIES) throw error
    }
  }
}

const MOST_TRIES = 1_000

/** The system takes a moment to let go of who has just ended. */
async function removeGroup(folder: string): Promise<void> {
  const isRemoved = () => {
    try {
      rmdirSync(folder)
    } catch (error) {
      // What is left is swept by a later Orla.
      if ((error as NodeJS.ErrnoException).code === 'EBUSY') return undefined
    }
    return true
  }
  await waitUntil(isRemoved, 500)
}

/** What an Orla that was killed left. A group that something runs in cannot be removed. */
function sweepGroups(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(NAME) ? Number.parseInt(name.slice(NAME.length), 10) : 0
    // Whatever has our own number is from before: we have made none yet.
    if (!(pid > 0) || (pid !== process.pid && isRunning(pid, null))) continue
    try {
      // Another Orla may have numbers of its own, and a group that nobody has joined yet.
      if (Date.now() - statSync(join(parent, name)).mtimeMs > A_MINUTE) rmdirSync(join(parent, name))
    } catch {
      // It is in use, or somebody else removed it.
    }
  }
}

const A_MINUTE = 60_000
