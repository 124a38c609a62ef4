import { isJsonObject, type Json } from '../model/index.ts'

export type PlainPath = readonly (string | number)[]

const WHOLE = /^\$(?:\.[A-Za-z_]\w*|\[\d{1,9}\])*$/
const SEGMENT = /\.(\w+)|\[(\d+)\]/g

/** The names and places of a path that has nothing else, which is most of them: `$.input.files[0]`. */
export function parsePlainPath(path: string): PlainPath | undefined {
  if (!WHOLE.test(path)) return undefined
  // `[00]` is no index.
  if (/\[0\d/.test(path)) return undefined
  return [...path.matchAll(SEGMENT)].map(([, name, index]) => name ?? Number(index))
}

/** The one value that such a path selects, if it is there. */
export function selectPlain(path: PlainPath, value: Json): readonly Json[] {
  let at: Json | undefined = value
  for (const segment of path) {
    if (typeof segment === 'number') at = Array.isArray(at) ? (at as readonly Json[])[segment] : undefined
    else at = isJsonObject(at) && Object.hasOwn(at, segment) ? at[segment] : undefined
    if (at === undefined) return []
  }
  return [at]
}
