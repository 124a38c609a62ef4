import { isJsonObject, type Json } from '../../model/index.ts'

/** What a result is made of, without its values: enough to notice that a caller would find something else. */
export interface OutputShape {
  /** The types that were seen in this place, in order of their names. */
  readonly types: readonly ShapeType[]
  /** Of a map: what lies below each key. */
  readonly keys?: Readonly<Record<string, OutputShape>>
  /** Keys that were not there every time. */
  readonly optional?: readonly string[]
  /** Of a list: what its elements have in common. Absent when every list was empty. */
  readonly items?: OutputShape
  /** Too deep or too wide to be looked at further. */
  readonly open?: true
}

export const SHAPE_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'] as const
export type ShapeType = (typeof SHAPE_TYPES)[number]

const MOST_KEYS = 256
const MOST_ELEMENTS = 1_000
const DEEPEST = 16

export function shapeOf(value: Json, depth = 0): OutputShape {
  if (Array.isArray(value)) {
    const list: readonly Json[] = value
    if (list.length === 0) return { types: ['array'] }
    if (depth === DEEPEST) return { types: ['array'], open: true }
    const items = list.slice(0, MOST_ELEMENTS).map((element) => shapeOf(element, depth + 1))
    return { types: ['array'], items: mergeShapes(items) }
  }
  if (!isJsonObject(value)) return { types: [simpleType(value)] }
  const entries = Object.entries(value)
  if (depth === DEEPEST || entries.length > MOST_KEYS) return { types: ['object'], open: true }
  return {
    types: ['object'],
    keys: keysOf(entries.map(([key, element]) => [key, shapeOf(element, depth + 1)])),
  }
}

/** What holds for all of them: every type that occurs, and keys that are not in all of them are optional. */
export function mergeShapes(shapes: readonly OutputShape[]): OutputShape {
  const [first = { types: [] }, ...others] = shapes
  return others.reduce(merge, first)
}

function merge(a: OutputShape, b: OutputShape): OutputShape {
  const types = SHAPE_TYPES.filter((type) => a.types.includes(type) || b.types.includes(type))
  if (a.open || b.open) return { types, open: true }
  const items = a.items && b.items ? merge(a.items, b.items) : (a.items ?? b.items)
  const list = items === undefined ? {} : { items }
  if (a.keys === undefined || b.keys === undefined) {
    const { keys, optional } = a.keys === undefined ? b : a
    return { types, ...(keys === undefined ? {} : { keys }), ...(optional ? { optional } : {}), ...list }
  }
  const [mine, theirs] = [a.keys, b.keys]
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])].sort()
  if (names.length > MOST_KEYS) return { types, open: true }
  const keys = keysOf(
    names.map((name) => {
      const both = [own(mine, name), own(theirs, name)].filter((shape) => shape !== undefined)
      return [name, mergeShapes(both)]
    }),
  )
  const optional = names.filter(
    (name) =>
      isOptional(a, name) ||
      isOptional(b, name) ||
      !Object.hasOwn(mine, name) ||
      !Object.hasOwn(theirs, name),
  )
  return { types, keys, ...(optional.length === 0 ? {} : { optional }), ...list }
}

export function isOptional({ optional }: OutputShape, key: string): boolean {
  return optional?.includes(key) ?? false
}

/** A key may be called anything, also what every object has. */
export function own(keys: Readonly<Record<string, OutputShape>>, name: string): OutputShape | undefined {
  return Object.hasOwn(keys, name) ? keys[name] : undefined
}

const MOST_WORDS = 2_000

/** As a person would write the type: `{name: string, tags?: string[]}`. */
export function shapeWords(shape: OutputShape): string {
  const words = typeWords(shape)
  return words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS)}…` : words
}

function typeWords(shape: OutputShape): string {
  const words = shape.types.map((type) => {
    if (type === 'array') return shape.items === undefined ? 'array' : `${inList(typeWords(shape.items))}[]`
    if (type !== 'object' || shape.keys === undefined) return type
    const keys = Object.entries(shape.keys).map(
      ([key, below]) => `${keyWord(key)}${isOptional(shape, key) ? '?' : ''}: ${typeWords(below)}`,
    )
    return `{${keys.join(', ')}}`
  })
  return words.length === 0 ? 'nothing' : words.join(' | ')
}

function inList(words: string): string {
  return words.includes(' | ') && !words.startsWith('{') ? `(${words})` : words
}

function keyWord(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key)
}

function simpleType(value: Json): ShapeType {
  return SHAPE_TYPES.find((type) => type === typeof value && value !== null) ?? 'null'
}

/** Sorted, so that the same shape is always the same text. */
function keysOf(entries: readonly (readonly [string, OutputShape])[]): Record<string, OutputShape> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
