import { isJsonObject, type Json } from '../../model/index.ts'
import { compare } from './compare.ts'

/** A text in a text, an element in a list, a part of a map; as `expected` contains. */
export function doesContain(found: Json, wanted: Json): boolean {
  if (typeof found === 'string') return typeof wanted === 'string' && found.includes(wanted)
  if (Array.isArray(found)) return found.some((element: Json) => compare(wanted, element).length === 0)
  return isJsonObject(found) && isJsonObject(wanted) && compare(wanted, found).length === 0
}

/** Characters as JSON Schema counts them, elements, or keys. */
export function lengthOf(value: Json): number | undefined {
  if (typeof value === 'string') return Array.from(value).length
  if (Array.isArray(value)) return value.length
  return isJsonObject(value) ? Object.keys(value).length : undefined
}

/** The names JSON Schema has for what a value is. */
export function typesOf(value: Json): string[] {
  if (value === null) return ['null']
  if (Array.isArray(value)) return ['array']
  return typeof value === 'number' && Number.isInteger(value) ? ['number', 'integer'] : [typeof value]
}
