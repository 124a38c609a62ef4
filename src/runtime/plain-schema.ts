import { isJsonObject, type Json, type JsonSchema } from '../model/index.ts'

/**
 * Whether something is surely a JSON Schema, in draft 2020-12 and in draft-07 alike: only keywords that both know,
 * with values of the right shape. Of anything else this says nothing; it may still be one.
 */
export function isPlainSchema(schema: JsonSchema): boolean {
  // The root alone may name its draft: the words that are left mean the same in both.
  const { $schema: _named, ...rest } = schema
  return isPlain(rest, MOST_LEVELS)
}

/** Deeper ones are for the library, which knows how deep it can go. */
const MOST_LEVELS = 32

function isPlain(schema: Json, levels: number): boolean {
  if (typeof schema === 'boolean') return true
  if (levels === 0 || !isJsonObject(schema)) return false
  return Object.keys(schema).every((keyword) => {
    const rule = KEYWORDS.get(keyword)
    return rule?.(schema[keyword] as Json, levels - 1) === true // a key of it, so it has a value
  })
}

type Rule = (value: Json, levels: number) => boolean

const TYPES: ReadonlySet<Json> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
])
const isText: Rule = (value) => typeof value === 'string'
const isFlag: Rule = (value) => typeof value === 'boolean'
const isNumber: Rule = (value) => Number.isFinite(value)
const isCount: Rule = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isAnything: Rule = () => true

const KEYWORDS: ReadonlyMap<string, Rule> = new Map([
  ['type', (value) => TYPES.has(value) || (isList(value) && isSetOf(value, (one) => TYPES.has(one)))],
  ['properties', isPlainMap],
  ['required', (value) => isList(value) && (value.length === 0 || isSetOf(value, isText))],
  ['additionalProperties', isPlain],
  ['items', isPlain],
  ['enum', (value) => isList(value) && isSetOf(value, isSimple)],
  ['const', isSimple],
  ['allOf', isPlainList],
  ['anyOf', isPlainList],
  ['title', isText],
  ['description', isText],
  ['$comment', isText],
  ['default', isAnything],
  ['examples', isList],
  ['deprecated', isFlag],
  ['readOnly', isFlag],
  ['writeOnly', isFlag],
  ['uniqueItems', isFlag],
  ['minimum', isNumber],
  ['maximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['exclusiveMaximum', isNumber],
  ['minLength', isCount],
  ['maxLength', isCount],
  ['minItems', isCount],
  ['maxItems', isCount],
  ['minProperties', isCount],
  ['maxProperties', isCount],
] satisfies [string, Rule][])

/** A value that equals another one when it is the same. */
function isSimple(value: Json): boolean {
  return value === null || typeof value !== 'object'
}

/** At least one, and none twice. */
function isSetOf(values: readonly Json[], isMember: (value: Json, levels: number) => boolean): boolean {
  return (
    values.length > 0 && values.every((one) => isMember(one, 0)) && new Set(values).size === values.length
  )
}

function isPlainList(value: Json, levels: number): boolean {
  return isList(value) && value.length > 0 && value.every((one) => isPlain(one, levels))
}

function isPlainMap(value: Json, levels: number): boolean {
  return (
    isJsonObject(value) &&
    !Object.hasOwn(value, '__proto__') &&
    Object.values(value).every((one) => isPlain(one, levels))
  )
}
