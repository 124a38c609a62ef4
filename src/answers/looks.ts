import { isAbsolute } from 'node:path'
import { isSettled, LOOK_NUMBERS, type LookAt } from '../platform/index.ts'
import type { Answer } from './answer-file.ts'
import type { Notes } from './noted-files.ts'

/** Everything that a command looked at. */
export interface Looks extends Notes {
  /** All of it once more, for who compares; undefined when the answer cannot be relied upon. */
  again(lookAt: LookAt): Pick<Answer, 'paths' | 'stamps' | 'ends'> | undefined
}

/** More than ten thousand packages take. */
const MOST_PATHS = 50_000
const MOST_ENDS = 64
/** What lies there is made when it is read. */
const NO_FILES = /^\/(proc|sys|dev)\//
const [CTIME, MODE] = [1, 4] as const
const [KIND, LINK] = [0o170000, 0o120000]

/** Paths, and whether something was there. */
type Looked = Map<string, boolean>

/**
 * In `caches` lies what commands keep of files that they look at all the same: it does not change an answer. A command
 * that adds to it will look at less the next time, and that is the one to go by.
 */
export function createLooks(begun: number, caches: readonly string[]): Looks {
  /** At the paths themselves, and at what links at their ends lead to. */
  const direct: Looked = new Map()
  const followed: Looked = new Map()
  const ends = new Map<string, string>()
  let isDoubtful = false
  const doubted = () => {
    isDoubtful = true
  }

  /** Undefined when somebody changed one while it was looked at, or so shortly before that the next change may not show. */
  function stampsOf(lookAt: LookAt, paths: Uint8Array, looked: readonly boolean[]): Float64Array | undefined {
    const stamps = new Float64Array(looked.length * LOOK_NUMBERS)
    lookAt(paths, stamps)
    const isAsBefore = looked.every((wasThere, at) => {
      const mode = numberAt(stamps, at, MODE)
      return mode >= 0 && mode > 0 === wasThere && isSettled(numberAt(stamps, at, CTIME), begun)
    })
    return isAsBefore ? stamps : undefined
  }

  const isCache = (path: unknown) =>
    typeof path === 'string' && caches.some((cache) => path === cache || path.startsWith(`${cache}/`))

  return {
    doubted,
    placed(path) {
      if (isCache(path)) doubted()
    },
    looked(path, wasThere, follows) {
      if (isCache(path)) return
      const looked = follows ? followed : direct
      if (!isPlain(path) || looked.size >= MOST_PATHS || looked.get(path) === !wasThere) doubted()
      else looked.set(path, wasThere)
    },
    ended(path, end) {
      if (!isPlain(path) || !isPlain(end) || ends.size >= MOST_ENDS) doubted()
      else ends.set(path, end)
    },
    again(lookAt) {
      if (isDoubtful) return undefined
      const directPaths = pathBytes('l', direct.keys())
      const directStamps = stampsOf(lookAt, directPaths, [...direct.values()])
      if (directStamps === undefined) return undefined
      const links = new Set(
        [...direct.keys()].filter((_, at) => (numberAt(directStamps, at, MODE) & KIND) === LINK),
      )
      // A path that is no link was looked at already.
      const others = [...followed].filter(([path]) => links.has(path) || !direct.has(path))
      const otherPaths = pathBytes(
        'f',
        others.map(([path]) => path),
      )
      const otherStamps = stampsOf(
        lookAt,
        otherPaths,
        others.map(([, wasThere]) => wasThere),
      )
      if (otherStamps === undefined) return undefined
      return {
        paths: Buffer.concat([directPaths, otherPaths]),
        stamps: Buffer.concat([Buffer.from(directStamps.buffer), Buffer.from(otherStamps.buffer)]),
        ends: Object.fromEntries(ends),
      }
    },
  }
}

function isPlain(path: unknown): path is string {
  return typeof path === 'string' && isAbsolute(path) && !path.includes('\0') && !NO_FILES.test(path)
}

function pathBytes(flag: 'l' | 'f', paths: Iterable<string>): Buffer {
  let text = ''
  for (const path of paths) text += `${flag}${path}\0`
  return Buffer.from(text)
}

function numberAt(stamps: Float64Array, at: number, number: number): number {
  return stamps[at * LOOK_NUMBERS + number] as number // there is a stamp for each path
}
