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
  /** Whether it is what the path led to, if that is known. */
  allows(path: string, ino: number, dev: number): boolean
  /** Whether all of them still lead there, without those that were looked at already. */
  isSame(lookAt: LookAt, isLookedAt: (path: string) => boolean): boolean
}

const NOTHING: Identity = { ino: 0, dev: 0 }
const [INO, DEV] = [3, 5] as const

export function createLedTo(): LedTo {
  const ends = new Map<string, Identity>()
  let isTorn = false

  function allows(path: string, ino: number, dev: number): boolean {
    const end = ends.get(path)
    // Where nothing was, what is missing now is looked for by who noted that it was.
    if (end === undefined || end === NOTHING) return true
    return end.ino === ino && end.dev === dev
  }

  return {
    follow(path) {
      if (!ends.has(path)) ends.set(path, endOf(path))
    },
    add(path, end) {
      const { ino, dev } = ends.get(path) ?? end
      if (ino !== end.ino || dev !== end.dev) isTorn = true
      ends.set(path, end)
    },
    allows,
    isSame(lookAt, isLookedAt) {
      const paths = [...ends.keys()].filter((path) => !isLookedAt(path))
      const seen = new Float64Array(paths.length * LOOK_NUMBERS)
      lookAt(pathBytes('f', paths), seen)
      return (
        !isTorn &&
        paths.every((path, at) => {
          const [ino, dev] = [seen[at * LOOK_NUMBERS + INO], seen[at * LOOK_NUMBERS + DEV]]
          return ino !== undefined && dev !== undefined && allows(path, ino, dev)
        })
      )
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
