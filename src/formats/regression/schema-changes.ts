import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../model/index.ts'
import { isEqual, quote } from '../mcpkg/compare.ts'
import { pathSelector } from '../path-selector.ts'
import { isLimit, limitChanges, typeChange, typeWords } from './schema-limits.ts'

/** One thing in which two JSON Schemas differ. */
export interface SchemaChange {
  /** A JSONPath into what the schema describes. */
  readonly path: string
  readonly change: 'added' | 'removed' | 'required' | 'type' | 'values' | 'limit' | 'text' | 'other'
  readonly before: string
  readonly now: string
  /** Less is accepted than before. */
  readonly narrows: boolean
  /** More is accepted than before. */
  readonly widens: boolean
  /** A caller who did everything right before may fail now. */
  readonly breaking: boolean
}

/** A change before anyone knows which side of a call the schema is about. */
export type PlainChange = Omit<SchemaChange, 'breaking' | 'path'>

const MOST_DEPTH = 32

/**
 * Every difference that matters to a caller. Of what goes in, narrower breaks; of what comes out, wider does. What
 * cannot be judged counts as both.
 */
export function compareSchemas(
  before: JsonSchema | undefined,
  now: JsonSchema | undefined,
  side: 'input' | 'output',
): SchemaChange[] {
  const found = compareOf(before ?? NOTHING[side], now ?? NOTHING[side], '$', 0)
  return found.map((change) => {
    // A key that is gone is missed on either side.
    const breaking = change.change === 'removed' || (side === 'input' ? change.narrows : change.widens)
    return { ...change, breaking }
  })
}

/** Arguments are a map, whether or not anyone says so. */
const NOTHING = { input: { type: 'object' }, output: {} } as const

type Found = Omit<SchemaChange, 'breaking'>

function compareOf(before: Json, now: Json, path: string, depth: number): Found[] {
  if (isEqual(before, now)) return []
  const at = (change: PlainChange): Found => ({ path, ...change })
  if (!isJsonObject(before) || !isJsonObject(now) || depth === MOST_DEPTH) {
    return [at(unclear(quote(before), quote(now)))]
  }
  const own = [typeChange(before, now), ...limitChanges(before, now), ...others(before, now)]
  return [
    ...own.flatMap((change) => (change === undefined ? [] : [at(change)])),
    ...properties(before, now, path, depth),
    ...below(before.items, now.items, `${path}[*]`, depth),
  ]
}

function below(before: Json | undefined, now: Json | undefined, path: string, depth: number): Found[] {
  if (before === undefined && now === undefined) return []
  return compareOf(before ?? {}, now ?? {}, path, depth + 1)
}

function properties(before: JsonSchema, now: JsonSchema, path: string, depth: number): Found[] {
  const [old, next] = [mapOf(before.properties), mapOf(now.properties)]
  const [needed, needs] = [namesOf(before.required), namesOf(now.required)]
  const names = [...new Set([...Object.keys(old), ...Object.keys(next), ...needed, ...needs])].sort()
  return names.flatMap((name): Found[] => {
    const place = `${path}${pathSelector(name)}`
    const [was, is] = [ownOf(old, name), ownOf(next, name)]
    const [wasNeeded, isNeeded] = [needed.includes(name), needs.includes(name)]
    if (was === undefined && is !== undefined) {
      const now = `${typeWords(is)}, ${neededWord(isNeeded)}`
      return [
        { path: place, change: 'added', before: '', now, narrows: isNeeded && !wasNeeded, widens: false },
      ]
    }
    if (was !== undefined && is === undefined) {
      const before = `${typeWords(was)}, ${neededWord(wasNeeded)}`
      return [
        { path: place, change: 'removed', before, now: '', narrows: false, widens: wasNeeded && !isNeeded },
      ]
    }
    const need: Found = {
      path: place,
      change: 'required',
      before: neededWord(wasNeeded),
      now: neededWord(isNeeded),
      narrows: isNeeded,
      widens: wasNeeded,
    }
    return [...(wasNeeded === isNeeded ? [] : [need]), ...below(was, is, place, depth)]
  })
}

const TEXTS = ['title', 'description', 'examples', 'default', 'deprecated', '$comment']
const HANDLED = ['type', 'enum', 'const', 'properties', 'required', 'items', '$schema', '$id']

/** Words for readers break nobody; the rest of what schemas can say is only told to have changed. */
function others(before: JsonSchema, now: JsonSchema): PlainChange[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()
  return keys.flatMap((key): PlainChange[] => {
    const [was, is] = [ownOf(before, key), ownOf(now, key)]
    const isSame = was !== undefined && is !== undefined && isEqual(was, is)
    if (isSame || HANDLED.includes(key) || isLimit(key)) return []
    const [old, next] = [`${key} ${quote(was)}`, `${key} ${quote(is)}`]
    if (TEXTS.includes(key))
      return [{ change: 'text', before: old, now: next, narrows: false, widens: false }]
    return [{ ...unclear(old, next), narrows: is !== undefined, widens: was !== undefined }]
  })
}

function unclear(before: string, now: string): PlainChange {
  return { change: 'other', before, now, narrows: true, widens: true }
}

function neededWord(isNeeded: boolean): string {
  return isNeeded ? 'required' : 'optional'
}

function mapOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function namesOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** A key may be called anything, also what every object has. */
function ownOf(map: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}
