import { statSync } from 'node:fs'
import { LOOK_NUMBERS, type LookAt } from '../platform/index.ts'
import { pathBytes } from './path-bytes.ts'

/** Of what the system tells of a file, what it is told by from all others. */
export interface Identity {
  readonly ino: number
  readonly dev: number
}

/**
 * Where paths led to. Times tell when a file was changed, not when a link or a folder above it changed hands: what is
 * found in its place may be older than the command.
 */
export interface LedTo {
  /** Looks where a path leads to. */
  follow(path: string): void
  /** What a path has led to, by who looked. */
  add(path: string, end: Identity): void
  /** Whether all of them still lead there. */
  isSame(lookAt: LookAt): boolean
}

const NOTHING: Identity = { ino: 0, dev: 0 }
const [INO, DEV] = [3, 5] as const

export function createLedTo(): LedTo {
  const ends = new Map<string, Identity>()
  let isTorn = false

  return {
    follow(path) {
      if (!ends.has(path)) ends.set(path, endOf(path))
    },
    add(path, end) {
      const { ino, dev } = ends.get(path) ?? end
      if (ino !== end.ino || dev !== end.dev) isTorn = true
      ends.set(path, end)
    },
    isSame(lookAt) {
      const seen = new Float64Array(ends.size * LOOK_NUMBERS)
      lookAt(pathBytes('f', ends.keys()), seen)
      const isSameAt = (end: Identity, at: number) =>
        // Where nothing was, what is missing now is looked for by who noted that it was.
        end === NOTHING ||
        (seen[at * LOOK_NUMBERS + INO] === end.ino && seen[at * LOOK_NUMBERS + DEV] === end.dev)
      return !isTorn && [...ends.values()].every(isSameAt)
    },
  }
}

function endOf(path: string): Identity {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? NOTHING
  } catch {
    return NOTHING // as for all that cannot be looked at
  }
}
