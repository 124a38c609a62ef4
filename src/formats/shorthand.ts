import { isJsonObject, type Json, type JsonObject, type JsonSchema, nearest } from '../model/index.ts'
import { type Issue, type Path, type Shape, show } from './shape.ts'
import { parseTypeWord, TYPE_HINT } from './type-word.ts'

const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'any']

const KEYWORDS = new Set(
  `$schema $id $ref $defs $anchor $comment $dynamicRef $dynamicAnchor type enum const title description default
  examples deprecated readOnly writeOnly format pattern minLength maxLength minimum maximum exclusiveMinimum
  exclusiveMaximum multipleOf properties required additionalProperties patternProperties propertyNames
  minProperties maxProperties dependentRequired dependentSchemas unevaluatedProperties items prefixItems contains
  minContains maxContains minItems maxItems uniqueItems unevaluatedItems allOf anyOf oneOf not if then else
  contentEncoding contentMediaType contentSchema definitions nullable`.split(/\s+/),
)

/** A schema as JSON Schema, or short as `path: string`. Shorthand properties are optional. */
export function schema(about: string): Shape<JsonSchema> {
  return {
    about,
    schema: () => ({ type: 'object', description: about }),
    fromText: (written) => written,
    read: (value, path, issues) => expandSchema(value, path, issues),
  }
}

/** The JSON Schema of an object, whichever of the two ways it is written. */
export function expandSchema(value: unknown, path: Path, issues: Issue[]): JsonSchema | undefined {
  if (!isJsonObject(value)) {
    issues.push({ path, message: 'must be a map of properties or a JSON Schema' })
    return undefined
  }
  if (isWholeSchema(value)) return 'type' in value || '$ref' in value ? value : { type: 'object', ...value }
  return expandMap(value, path, issues)
}

/** What no shorthand looks like: there, `type`, `items` or `properties` would be names followed by a type. */
function isWholeSchema(value: JsonObject): boolean {
  const { type } = value
  return (
    type === 'object' ||
    Array.isArray(type) ||
    ['$schema', '$ref', '$id', '$defs'].some((key) => key in value) ||
    ['allOf', 'anyOf', 'oneOf', 'enum', 'required', 'prefixItems'].some((key) => Array.isArray(value[key])) ||
    ['properties', 'patternProperties', 'items'].some((key) => isJsonObject(value[key])) ||
    typeof value.additionalProperties === 'boolean'
  )
}

function expandMap(value: JsonObject, path: Path, issues: Issue[]): JsonSchema {
  const properties = Object.entries(value).map(([name, written]): [string, JsonSchema] => [
    name,
    expandProperty(name, written, [...path, name], issues),
  ])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function expandProperty(name: string, written: Json, path: Path, issues: Issue[]): JsonSchema {
  if (isJsonObject(written)) {
    const isSchema = Object.keys(written).every((key) => KEYWORDS.has(key) || key.startsWith('x-'))
    return isSchema ? written : expandMap(written, path, issues)
  }
  const typed = typeof written === 'string' ? parseTypeWord(written) : null
  if (typed) return typed
  const close = typeof written === 'string' ? nearest(written, TYPE_NAMES) : undefined
  issues.push({
    path,
    message: `must be a type, not ${show(written)}`,
    hint: close ? `did you mean ${name}: ${close}?` : TYPE_HINT,
  })
  return {}
}
