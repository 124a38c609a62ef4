import { isJsonObject, type Json, type JsonObject } from '../model/index.ts'

/** Whether a value surely fits a plain schema (`isPlainSchema`). False also when this cannot tell. */
export function surelyFits(schema: Json, value: Json): boolean {
  if (!isJsonObject(schema)) return schema === true
  // The library knows what to make of a number that has no end.
  if (typeof value === 'number' && !Number.isFinite(value)) return false
  const { type, enum: allowed, const: only } = schema
  if (type !== undefined && !hasType(type, value)) return false
  if (isList(allowed) && !allowed.includes(value)) return false
  if (only !== undefined && only !== value) return false
  if (!fitsAll(schema, value)) return false
  if (typeof value === 'string') return isWithin(schema, 'Length', () => charactersIn(value))
  if (typeof value === 'number') return isInRange(schema, value)
  if (isList(value)) return fitsList(schema, value)
  return isJsonObject(value) ? fitsObject(schema, value) : true
}

function hasType(types: Json, value: Json): boolean {
  const own = typeOf(value)
  const isOwn = (type: Json) => type === own || (type === 'integer' && Number.isInteger(value))
  return isList(types) ? types.some(isOwn) : isOwn(types)
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  return isList(value) ? 'array' : typeof value
}

function fitsAll({ allOf, anyOf }: JsonObject, value: Json): boolean {
  const fits = (schema: Json) => surelyFits(schema, value)
  return (!isList(allOf) || allOf.every(fits)) && (!isList(anyOf) || anyOf.some(fits))
}

function isWithin(schema: JsonObject, what: 'Length' | 'Items' | 'Properties', count: () => number): boolean {
  const [least, most] = [schema[`min${what}`], schema[`max${what}`]]
  if (least === undefined && most === undefined) return true
  const size = count()
  return size >= Number(least ?? 0) && size <= Number(most ?? size)
}

function charactersIn(text: string): number {
  let count = 0
  for (const _character of text) count++
  return count
}

function isInRange(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return (
    (minimum === undefined || value >= Number(minimum)) &&
    (maximum === undefined || value <= Number(maximum)) &&
    (exclusiveMinimum === undefined || value > Number(exclusiveMinimum)) &&
    (exclusiveMaximum === undefined || value < Number(exclusiveMaximum))
  )
}

function fitsList(schema: JsonObject, value: readonly Json[]): boolean {
  // Which of them are equal is for the library.
  if (schema.uniqueItems === true && value.length > 1) return false
  const { items = true } = schema
  return isWithin(schema, 'Items', () => value.length) && value.every((one) => surelyFits(items, one))
}

function fitsObject(schema: JsonObject, value: JsonObject): boolean {
  const { properties, required, additionalProperties = true } = schema
  const names = Object.keys(value)
  if (names.includes('__proto__')) return false
  if (!isWithin(schema, 'Properties', () => names.length)) return false
  if (isList(required) && !required.every((name) => typeof name === 'string' && names.includes(name)))
    return false
  return Object.entries(value).every(([name, one]) => {
    const known = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
    return surelyFits(known ?? additionalProperties, one)
  })
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}
