import type { ErrorObject } from 'ajv'
import { isJsonObject, nearest } from '../model/index.ts'

/**
 * `names`: `filter.path`, as a caller wrote it. `pointers`: `/filter/path`, to find it in an output.
 * `value` and `schema`: the same, in any value and in a schema.
 */
export type PathStyle = 'names' | 'pointers' | 'value' | 'schema'

const MOST = 20

/** Every misfit once, in words for people. */
export function describeMisfits(errors: readonly ErrorObject[], style: PathStyle): string[] {
  const all = [...new Set(errors.map((error) => describe(error, style)))]
  return all.length <= MOST ? all : [...all.slice(0, MOST), `and ${all.length - MOST} more`]
}

function describe(error: ErrorObject, style: PathStyle): string {
  const at = (child?: string) => place(error.instancePath, child, style)
  // The parameters depend on the keyword; ajv types them as any object.
  const params = error.params as Params
  switch (error.keyword) {
    case 'required':
      return `missing ${at(params.missingProperty)}`
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = params.additionalProperty ?? params.unevaluatedProperty ?? ''
      return `unknown ${at(name)}${suggestion(name, error)}`
    }
    case 'type':
      return `${at()} must be ${[params.type].flat().join(' or ')}`
    case 'enum':
      return `${at()} must be one of ${listValues(params.allowedValues ?? [])}`
    case 'const':
      return `${at()} must be ${JSON.stringify(params.allowedValue)}`
    case 'false schema':
      return `${at()} is not allowed`
    default:
      return `${at()} ${limitWords(error) ?? error.message ?? `does not satisfy ${error.keyword}`}`
  }
}

const COUNTED: Readonly<Record<string, readonly [bound: string, one: string, many: string]>> = {
  minLength: ['at least', 'character', 'characters'],
  maxLength: ['at most', 'character', 'characters'],
  minItems: ['at least', 'element', 'elements'],
  maxItems: ['at most', 'element', 'elements'],
  items: ['at most', 'element', 'elements'],
  additionalItems: ['at most', 'element', 'elements'],
  minProperties: ['at least', 'key', 'keys'],
  maxProperties: ['at most', 'key', 'keys'],
}

const BOUNDS: Readonly<Record<string, string>> = {
  minimum: 'at least',
  maximum: 'at most',
  exclusiveMinimum: 'more than',
  exclusiveMaximum: 'less than',
  multipleOf: 'a multiple of',
}

/** Undefined where the validator's own words will do. */
function limitWords({ keyword, params: given }: ErrorObject): string | undefined {
  const { limit, multipleOf, pattern, format, failingKeyword } = given as Params // as above
  const counted = COUNTED[keyword]
  if (counted !== undefined && limit !== undefined) {
    return `must have ${counted[0]} ${limit} ${limit === 1 ? counted[1] : counted[2]}`
  }
  const bound = BOUNDS[keyword]
  if (bound !== undefined) return `must be ${bound} ${limit ?? multipleOf}`
  if (pattern !== undefined) return `must match ${JSON.stringify(pattern)}`
  if (format !== undefined) return `does not have the format ${format}`
  switch (keyword) {
    case 'not':
      return 'must not fit the schema below `not`'
    case 'anyOf':
      return 'fits none of the schemas below `anyOf`'
    case 'oneOf':
      return 'must fit exactly one of the schemas below `oneOf`'
    case 'if':
      return `does not fit what \`${failingKeyword}\` says`
    default:
      return undefined
  }
}

interface Params {
  readonly missingProperty?: string
  readonly additionalProperty?: string
  readonly unevaluatedProperty?: string
  readonly type?: string | readonly string[]
  readonly allowedValues?: readonly unknown[]
  readonly allowedValue?: unknown
  readonly limit?: number
  readonly multipleOf?: number
  readonly pattern?: string
  readonly format?: string
  readonly failingKeyword?: string
}

function suggestion(name: string, error: ErrorObject): string {
  const properties: unknown = error.parentSchema?.properties
  const close = isJsonObject(properties) ? nearest(name, Object.keys(properties)) : undefined
  return close === undefined ? '' : ` (did you mean \`${close}\`?)`
}

function listValues(values: readonly unknown[]): string {
  const all = values.map((value) => JSON.stringify(value))
  return all.length <= MOST ? all.join(', ') : `${all.slice(0, MOST).join(', ')}, …`
}

const WHOLE = { pointers: 'the whole output', value: 'the value', schema: 'it' } as const

function place(pointer: string, child: string | undefined, style: PathStyle): string {
  const whole = child === undefined ? pointer : `${pointer}/${escapeSegment(child)}`
  if (style !== 'names' && whole !== '') return `\`${whole}\``
  if (style !== 'names') return WHOLE[style]
  if (whole === '') return 'the whole of the arguments'
  return `\`${whole.slice(1).split('/').map(nameSegment).join('')}\``
}

function nameSegment(segment: string, index: number): string {
  const name = segment.replaceAll('~1', '/').replaceAll('~0', '~')
  if (index === 0) return name
  return /^\d+$/.test(name) ? `[${name}]` : `.${name}`
}

function escapeSegment(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
