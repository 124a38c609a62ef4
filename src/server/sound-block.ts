import { isJsonObject, type Json, type JsonObject } from '../model/index.ts'

/**
 * A content block as clients accept it. They validate a result as a whole: one odd block would hide all the
 * others, so it travels as the text of its JSON, and an odd annotation not at all.
 */
export function soundBlock(block: JsonObject): JsonObject {
  if (isPlainText(block)) return block
  const keys = KEYS.get(block.type)
  if (!keys || !hasItsParts(block)) return { type: 'text', text: JSON.stringify(block) }
  return Object.fromEntries(
    Object.entries(block).filter(([key, value]) => keys.includes(key) && isSoundPart(key, value)),
  )
}

function isPlainText(block: JsonObject): boolean {
  if (block.type !== 'text' || typeof block.text !== 'string') return false
  for (const key in block) if (key !== 'type' && key !== 'text') return false
  return true
}

const COMMON = ['type', 'annotations', '_meta']
const KEYS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['text', [...COMMON, 'text']],
  ['image', [...COMMON, 'data', 'mimeType']],
  ['audio', [...COMMON, 'data', 'mimeType']],
  ['resource', [...COMMON, 'resource']],
  ['resource_link', [...COMMON, 'uri', 'name', 'title', 'description', 'mimeType', 'size', 'icons']],
])

function hasItsParts(block: JsonObject): boolean {
  const { type } = block
  if (type === 'text') return typeof block.text === 'string'
  if (type === 'image' || type === 'audio') return isBase64(block.data) && typeof block.mimeType === 'string'
  if (type === 'resource') return isJsonObject(block.resource) && isResource(block.resource)
  return typeof block.uri === 'string' && typeof block.name === 'string'
}

function isResource({ uri, mimeType, _meta, text, blob }: JsonObject): boolean {
  if (typeof uri !== 'string') return false
  if (mimeType !== undefined && typeof mimeType !== 'string') return false
  if (_meta !== undefined && !isJsonObject(_meta)) return false
  return typeof text === 'string' || isBase64(blob)
}

/** Parts that may be missing, and had better be when they are odd. */
function isSoundPart(key: string, value: Json): boolean {
  switch (key) {
    case 'annotations':
      return isJsonObject(value) && isSoundAnnotation(value)
    case '_meta':
      return isJsonObject(value)
    case 'title':
    case 'description':
    case 'mimeType':
      return typeof value === 'string'
    case 'size':
      return typeof value === 'number'
    case 'icons':
      return Array.isArray(value) && value.every((icon) => isJsonObject(icon) && isSoundIcon(icon))
    default:
      return true
  }
}

function isSoundIcon({ src, mimeType, sizes, theme }: JsonObject): boolean {
  return (
    typeof src === 'string' &&
    (mimeType === undefined || typeof mimeType === 'string') &&
    (sizes === undefined || (Array.isArray(sizes) && sizes.every((size) => typeof size === 'string'))) &&
    (theme === undefined || theme === 'light' || theme === 'dark')
  )
}

const TIME = '([01]\\d|2[0-3]):[0-5]\\d'
const TIMESTAMP = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT${TIME}:[0-5]\\d(\\.\\d+)?(Z|[+-]${TIME})$`)

function isSoundAnnotation({ audience, priority, lastModified }: JsonObject): boolean {
  const roles = audience === undefined || (Array.isArray(audience) && audience.every(isRole))
  const ranked = priority === undefined || (typeof priority === 'number' && priority >= 0 && priority <= 1)
  const dated = lastModified === undefined || (typeof lastModified === 'string' && isTimestamp(lastModified))
  return roles && ranked && dated
}

function isRole(value: Json): boolean {
  return value === 'user' || value === 'assistant'
}

function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false
  const day = text.slice(0, 10)
  const time = Date.parse(day)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/** As `atob` takes it, short of white space. */
function isBase64(value: Json | undefined): boolean {
  if (typeof value !== 'string') return false
  if (value.length % 4 === 0) return /^[A-Za-z0-9+/]*={0,2}$/.test(value)
  return value.length % 4 !== 1 && /^[A-Za-z0-9+/]*$/.test(value)
}
