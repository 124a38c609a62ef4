import type { Json, JsonObject } from '../../model/index.ts'
import type { Flaw, Issue, Path, Shape } from './declaration.ts'
import { isPlain, mismatch } from './mismatch.ts'

export function list<T>(about: string, item: Shape<T>): Shape<readonly T[]> {
  return {
    about,
    schema: () => ({ type: 'array', items: item.schema(), description: about }),
    fromText: (written) => written.split(',').map((part) => item.fromText(part.trim())),
    read(value, at, issues) {
      const read = readEach(value, item, at, issues)
      return read?.includes(undefined) ? undefined : (read as T[] | undefined) // every element was read
    },
  }
}

/** A list in which what does not fit leaves a hole, so that the others keep their place. */
export function patchy<T>(about: string, item: Shape<T>): Shape<readonly (T | undefined)[]> {
  return { ...list(about, item), read: (value, at, issues) => readEach(value, item, at, issues) }
}

function readEach<T>(
  value: unknown,
  item: Shape<T>,
  at: Path,
  issues: Issue[],
): (T | undefined)[] | undefined {
  if (!Array.isArray(value)) return mismatch(issues, at, 'a list', value)
  return value.map((element, index) => item.read(element, [...at, index], issues))
}

/** A list whose broken elements are left out, each with its issues. `index` is where one stood. */
export function sound<T>(about: string, item: Shape<T>): Shape<readonly { value: T; index: number }[]> {
  return {
    ...list(about, item),
    read(value, at, issues) {
      if (!Array.isArray(value)) return mismatch(issues, at, 'a list', value)
      return value.flatMap((element, index) => {
        const before = issues.length
        const read = item.read(element, [...at, index], issues)
        return read === undefined || issues.length > before ? [] : [{ value: read, index }]
      })
    },
  }
}

/** Written in the environment as `key=value,key=value`. */
export function map<T>(
  about: string,
  item: Shape<T>,
  checkKey: (key: string) => Flaw | undefined = () => undefined,
): Shape<Readonly<Record<string, T>>> {
  return {
    about,
    schema: () => ({ type: 'object', additionalProperties: item.schema(), description: about }),
    fromText(written) {
      const pairs = pairsOf(written)
      return pairs ? Object.fromEntries(pairs.map(([key, value]) => [key, item.fromText(value)])) : written
    },
    read(value, at, issues) {
      if (!isPlain(value)) return mismatch(issues, at, 'a map', value)
      const read = Object.entries(value).flatMap(([key, element]) => {
        const flaw = checkKey(key)
        if (flaw) issues.push({ path: [...at, key], onKey: true, ...flaw })
        const one = item.read(element, [...at, key], issues)
        return one === undefined || flaw ? [] : [[key, one] as const]
      })
      return Object.fromEntries(read)
    },
  }
}

/** `a=1,b=2` as pairs; undefined when a part has no `=`. */
export function pairsOf(written: string): [string, string][] | undefined {
  const parts = written.split(',').map((part) => part.trim())
  if (parts.some((part) => !part.includes('='))) return undefined
  return parts.map((part) => {
    const equals = part.indexOf('=')
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()]
  })
}

/** Any JSON value, null too. */
export function anyJson(about: string): Shape<Json> {
  return {
    about,
    takesNull: true,
    schema: () => ({ description: about }),
    fromText: (written) => written,
    // YAML and JSON readers produce nothing but JSON values.
    read: (value) => value as Json,
  }
}

/** Any JSON object, as it is: schemas, annotations, metadata. */
export function anyObject(about: string): Shape<JsonObject> {
  return {
    about,
    schema: () => ({ type: 'object', description: about }),
    fromText: (written) => written,
    // YAML and JSON readers produce nothing but JSON values.
    read: (value, at, issues) =>
      isPlain(value) ? (value as JsonObject) : mismatch(issues, at, 'a map', value),
  }
}
