import { isJsonObject, type Json } from '../../model/index.ts'

/** Tells whether a value is what belongs in its place. */
type Check = (value: Json) => boolean

/** How deep what nobody here reads may be. */
const DEPTH = 8

/** An object with these keys at most, the named ones at least. */
function objectOf(shape: Readonly<Record<string, Check>>, ...required: readonly string[]): Check {
  return (value) =>
    isJsonObject(value) &&
    required.every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, inner]) => Object.hasOwn(shape, key) && shape[key]?.(inner))
}

const text: Check = (value) => typeof value === 'string'
const flag: Check = (value) => typeof value === 'boolean'
const anyObject: Check = (value) => isJsonObject(value) && isPlain(value, DEPTH)
const objects: Check = (value) =>
  anyObject(value) && isJsonObject(value) && Object.values(value).every(isJsonObject)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)

/** JSON can spell numbers and names that no longer are what they look like. */
function isPlain(value: Json, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0 || Object.hasOwn(value, '__proto__')) return false
  return Object.values(value).every((inner) => isPlain(inner, depth - 1))
}

/** What a client can do, as far as the protocol has words for it. */
export const isCapabilities = objectOf({
  experimental: objects,
  extensions: objects,
  roots: objectOf({ listChanged: flag }),
  sampling: objectOf({ context: anyObject, tools: anyObject }),
  elicitation: objectOf({ form: objectOf({ applyDefaults: flag }), url: anyObject }),
  tasks: objectOf({
    list: anyObject,
    cancel: anyObject,
    requests: objectOf({
      sampling: objectOf({ createMessage: anyObject }),
      elicitation: objectOf({ create: anyObject }),
    }),
  }),
})

const theme: Check = (value) => value === 'light' || value === 'dark'
const icon = objectOf({ src: text, mimeType: text, sizes: listOf(text), theme }, 'src')

/** What a client is called. */
export const isClientInfo = objectOf(
  { name: text, version: text, title: text, description: text, websiteUrl: text, icons: listOf(icon) },
  'name',
  'version',
)
