import type { JsonPath } from './jsonpath.ts'
import type { SchemaKit } from './judge.ts'
import type { Patterns } from './mcpkg/patterns.ts'
import { parsePlainPath, selectPlain } from './plain-path.ts'

/**
 * Does some work with what judges simple cases, and once more with what judges all when it met another one: most
 * packages never need the libraries, which take longer to load than everything else. The work must change nothing.
 */
export async function lightFirst<Kit, T>(
  light: Kit,
  load: () => Promise<Kit>,
  work: (kit: Kit) => T,
): Promise<T> {
  try {
    return work(light)
  } catch (error) {
    if (!(error instanceof NotSimple)) throw error
  }
  return work(await load())
}

/** Thrown by a light judge that cannot tell. */
export class NotSimple extends Error {}

/** What judges JSON Schemas. It comes from outside: those who run tools know it already. */
export interface SchemaJudges {
  /** Throws `NotSimple` at what it cannot decide, and at everything that is wrong. */
  readonly light: SchemaKit
  readonly load: () => Promise<SchemaKit>
}

/** Names and places: most paths have nothing else. */
export const LIGHT_JSON_PATH: JsonPath = {
  check(path) {
    plainPath(path)
    return undefined
  },
  select: (path, value) => ({ values: selectPlain(plainPath(path), value) }),
}

/** Longer ones are for the library, which has a limit. */
const LONGEST = 200

function plainPath(path: string): NonNullable<ReturnType<typeof parsePlainPath>> {
  const parsed = path.length > LONGEST ? undefined : parsePlainPath(path)
  if (parsed === undefined) throw new NotSimple()
  return parsed
}

/** No pattern is simple. */
export const LIGHT_PATTERNS: Patterns = {
  check() {
    throw new NotSimple()
  },
  find() {
    throw new NotSimple()
  },
}
