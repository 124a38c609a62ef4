import { isJsonObject, type Json, type JsonSchema } from '../../model/index.ts'
import { isEqual, quote } from '../mcpkg/compare.ts'
import type { PlainChange } from './schema-changes.ts'

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const ANYTHING = TYPES.filter((type) => type !== 'integer')

/** The types and the values that are accepted. */
export function typeChange(before: JsonSchema, now: JsonSchema): PlainChange | undefined {
  const [old, next] = [typesOf(before), typesOf(now)]
  const narrows = old.some((type) => !accepts(next, type))
  const widens = next.some((type) => !accepts(old, type))
  if (!narrows && !widens) return undefined
  return { change: 'type', before: typeWords(before), now: typeWords(now), narrows, widens }
}

/** As a person would say it. */
export function typeWords(schema: Json | undefined): string {
  if (!isJsonObject(schema)) return schema === false ? 'nothing' : 'anything'
  const types = typesOf(schema)
  if (types.length === ANYTHING.length) return 'anything'
  const items = types.length === 1 && types[0] === 'array' ? schema.items : undefined
  return items === undefined ? types.join(' | ') : `list of ${typeWords(items)}`
}

const LEAST = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains']
const MOST = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains']
/** Of these another one accepts other things; one more accepts less. */
const RULES = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'additionalProperties']

export function isLimit(key: string): boolean {
  return [...LEAST, ...MOST, ...RULES].includes(key)
}

export function limitChanges(before: JsonSchema, now: JsonSchema): PlainChange[] {
  const numbers = [...LEAST, ...MOST].flatMap((key): PlainChange[] => {
    const [was, is] = [before[key], now[key]]
    if (was === is) return []
    const isHigher = (typeof is === 'number' ? is : -Infinity) > (typeof was === 'number' ? was : -Infinity)
    const isTighter = LEAST.includes(key) ? isHigher : was === undefined || (is !== undefined && !isHigher)
    return [limit(key, was, is, isTighter, !isTighter)]
  })
  const rules = RULES.flatMap((key): PlainChange[] => {
    const [was, is] = [ruleOf(before, key), ruleOf(now, key)]
    if (was === is || (was !== undefined && is !== undefined && isEqual(was, is))) return []
    return [limit(key, was, is, is !== undefined, was !== undefined)]
  })
  return [...valuesChange(before, now), ...numbers, ...rules]
}

function limit(
  key: string,
  was: Json | undefined,
  is: Json | undefined,
  narrows: boolean,
  widens: boolean,
): PlainChange {
  const words = (value: Json | undefined) => (value === undefined ? `no ${key}` : `${key} ${quote(value)}`)
  return { change: 'limit', before: words(was), now: words(is), narrows, widens }
}

/** Undefined where the keyword is there and allows everything. */
function ruleOf(schema: JsonSchema, key: string): Json | undefined {
  const value = schema[key]
  return (key === 'uniqueItems' && value === false) || (key === 'additionalProperties' && value === true)
    ? undefined
    : value
}

function valuesChange(before: JsonSchema, now: JsonSchema): PlainChange[] {
  const [old, next] = [valuesOf(before), valuesOf(now)]
  if (old === undefined && next === undefined) return []
  const has = (values: readonly Json[] | undefined, value: Json) =>
    values === undefined || values.some((one) => isEqual(one, value))
  const narrows = next !== undefined && (old === undefined || old.some((value) => !has(next, value)))
  const widens = old !== undefined && (next === undefined || next.some((value) => !has(old, value)))
  if (!narrows && !widens) return []
  const words = (values: readonly Json[] | undefined) => values?.map(quote).join(', ') ?? 'any value'
  return [{ change: 'values', before: words(old), now: words(next), narrows, widens }]
}

function valuesOf(schema: JsonSchema): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const]
  const { enum: values } = schema
  return Array.isArray(values) ? values : undefined
}

function typesOf({ type }: JsonSchema): readonly string[] {
  const named = typeof type === 'string' ? [type] : Array.isArray(type) ? type : ANYTHING
  const texts = named.filter((one) => typeof one === 'string')
  return TYPES.filter((one) => texts.includes(one) && !(one === 'integer' && texts.includes('number')))
}

/** Every integer is a number. */
function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}
