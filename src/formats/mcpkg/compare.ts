import { isJsonObject, type Json } from '../../model/index.ts'
import type { Finding } from '../judge.ts'
import { pathSelector } from '../path-selector.ts'

/** What is expected must be there; a map may hold more. Lists have the same length. */
export function compare(expected: Json, found: Json | undefined, path = '$'): Finding[] {
  if (found === undefined) {
    return [{ path, message: `expected ${quote(expected)}, but nothing is there`, expected }]
  }
  const differs = (message: string): Finding[] => [{ path, message, expected, actual: found }]
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return differs(`expected a list, found ${quote(found)}`)
    if (found.length !== expected.length) {
      return differs(`expected ${expected.length} elements, found ${found.length}`)
    }
    return expected.flatMap((element: Json, index) => compare(element, found[index], `${path}[${index}]`))
  }
  if (isJsonObject(expected)) {
    if (!isJsonObject(found)) return differs(`expected a map, found ${quote(found)}`)
    return Object.entries(expected).flatMap(([key, element]) =>
      compare(element, Object.hasOwn(found, key) ? found[key] : undefined, path + pathSelector(key)),
    )
  }
  return expected === found ? [] : differs(`expected ${quote(expected)}, found ${quote(found)}`)
}

/** The same all the way down; the order of keys says nothing. */
export function isEqual(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index] ?? null))
    )
  }
  if (!isJsonObject(a)) return a === b
  const keys = Object.keys(a)
  return (
    isJsonObject(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key] ?? null, b[key] ?? null))
  )
}

/** Enough of a value to recognise it by. */
export function quote(value: Json | undefined): string {
  try {
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > 200 ? `${text.slice(0, 200)}…` : text
  } catch {
    return 'something deep' // a result may be nested deeper than can be written
  }
}
