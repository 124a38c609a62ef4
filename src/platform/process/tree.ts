import { setTimeout as pause } from 'node:timers/promises'
import type { Descendants, Found, Started } from './descendants.ts'

/** The processes of one call: the program, its group, and what it started elsewhere. */
export interface Tree {
  /** The program has ended by itself: kills what it left behind. Resolves when nothing is left. */
  sweep(): Promise<void>
  /** Asks everything to end, and kills what has not after `graceMs`. Resolves when nothing is left. */
  end(graceMs: number): Promise<void>
}

/** The kernel may hold a killed process for a while (a hanging disk); an answer does not wait for ever. */
const KILL_PATIENCE_MS = 2_000
/** An exec shows no environment for some microseconds. */
const UNSURE_ROUNDS = 3

/** The program at the root of the tree. */
export interface Root extends Started {
  isReaped(): boolean
  readonly reaped: Promise<void>
}

/** Without /proc only the group of the program is known. */
export function createTree(root: Root, descendants: Descendants | undefined): Tree {
  const find = () => findMembers(root, descendants)

  async function sweep(): Promise<void> {
    signalGroup(root.pid, 'SIGKILL')
    await kill()
  }

  async function kill(): Promise<void> {
    const deadline = performance.now() + KILL_PATIENCE_MS
    for (let round = 0, unsure = 0; performance.now() < deadline; round++) {
      const found = await find()
      if (found.living.length === 0) {
        if (!found.unsure || ++unsure > UNSURE_ROUNDS) break
      }
      signalMembers(root.pid, found, 'SIGKILL')
      await pause(Math.min(1 + round * 2, 25))
    }
    await reapedWithin(deadline - performance.now())
  }

  async function reapedWithin(ms: number): Promise<void> {
    if (root.isReaped()) return
    const over = new AbortController()
    await Promise.race([root.reaped, pause(ms, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
  }

  async function end(graceMs: number): Promise<void> {
    const deadline = performance.now() + graceMs
    signalMembers(root.pid, await find(), 'SIGTERM')
    for (let waitMs = 5; performance.now() < deadline; waitMs = Math.min(2 * waitMs, 100)) {
      const left = deadline - performance.now()
      if (root.isReaped()) await pause(Math.min(waitMs, left))
      else await reapedWithin(left)
      if (root.isReaped() && (await find()).living.length === 0) break
    }
    if (!root.isReaped()) signalGroup(root.pid, 'SIGKILL')
    await kill()
  }
  return { sweep, end }
}

async function findMembers(root: Root, descendants: Descendants | undefined): Promise<Found> {
  if (descendants !== undefined) return root.isReaped() ? descendants.remaining(root) : descendants.all(root)
  return { living: groupIsThere(root.pid) ? [{ pid: root.pid, group: root.pid }] : [], unsure: false }
}

/** A group takes the signal at once, whatever its members fork meanwhile; the others one by one. */
function signalMembers(pid: number, { living }: Found, signal: NodeJS.Signals): void {
  if (living.some((member) => member.group === pid)) signalGroup(pid, signal)
  for (const member of living) if (member.group !== pid) send(member.pid, signal)
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  send(-pid, signal)
}

function groupIsThere(pid: number): boolean {
  return send(-pid, 0)
}

/** False when nothing is there to take it (or, with EPERM, nothing of ours). */
function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}
