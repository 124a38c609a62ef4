import type { Json, JsonSchema } from '../model/index.ts'

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

export const TYPE_HINT =
  'the types are string, number, integer, boolean, object, array, any, a list such as string[], and choices such as a|b|c'

/** The schema behind a short type: `integer`, `string[]`, `string|null`, `red|green`. Null when it is none. */
export function parseTypeWord(word: string): JsonSchema | null {
  const text = word.trim()
  const known = text.toLowerCase()
  if (known === 'any' || known === '*') return {}
  if (TYPES.includes(known)) return { type: known }
  if (text.endsWith('[]')) {
    const items = parseTypeWord(text.slice(0, -2).replace(/^\((.*)\)$/, '$1'))
    return items && { type: 'array', items }
  }
  return text.includes('|') ? parseUnion(text.split('|').map((part) => part.trim())) : null
}

function parseUnion(parts: readonly string[]): JsonSchema | null {
  if (parts.some((part) => part === '')) return null
  const names = parts.map((part) => part.toLowerCase())
  if (names.every((name) => TYPES.includes(name))) return { type: [...new Set(names)] }
  const numbers = parts.map(Number)
  if (numbers.every(Number.isFinite)) {
    return { type: numbers.every(Number.isInteger) ? 'integer' : 'number', enum: [...new Set(numbers)] }
  }
  return { type: 'string', enum: [...new Set(parts.map(unquote))] }
}

/** A value written as text, read as the type says. Undefined when it does not fit. */
export function parseTyped(text: string, schema: JsonSchema): Json | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.find((choice) => String(choice) === unquote(text))
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type
  if (Array.isArray(types) && types.length === 1 && types[0] === 'string') return unquote(text)
  const value = parseJson(text)
  if (!Array.isArray(types)) return value ?? text
  if (value !== undefined && types.some((type) => hasType(value, type))) return value
  return types.includes('string') ? unquote(text) : undefined
}

function hasType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'null') return value === null
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json // JSON.parse yields nothing else
  } catch {
    return undefined
  }
}

function unquote(text: string): string {
  return /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text
}
