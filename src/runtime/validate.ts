import type { Ajv, Options, ValidateFunction } from 'ajv'
import { loadPatterns, type SchemaKit } from '../formats/index.ts'
import type { Json, JsonSchema } from '../model/index.ts'
import { describeMisfits, type PathStyle } from './misfit-words.ts'
import { schemaFlawWords } from './schema-flaw-words.ts'

export type Validation =
  | { readonly kind: 'fits'; readonly value: Json }
  /** Every way in which it does not fit, for people. */
  | { readonly kind: 'misfit'; readonly problems: readonly string[] }
  | { readonly kind: 'bad-schema'; readonly problem: string }

/** The value that fits is a copy with the defaults of the schema filled in. */
export async function validateInput(schema: JsonSchema, input: Json): Promise<Validation> {
  return validate(INPUT, schema, structuredClone(input))
}

export async function validateOutput(schema: JsonSchema, output: Json): Promise<Validation> {
  return validate(OUTPUT, schema, output)
}

/** For who has many values to check and cannot wait in between: both dialects are loaded beforehand. */
export async function loadSchemaKit(): Promise<SchemaKit> {
  const options: Options = { ...OPTIONS, ...(await patternOptions()), useDefaults: false }
  const makers = { 'draft-07': await loadDialect('draft-07'), '2020-12': await loadDialect('2020-12') }
  const instances = new Map<Dialect, Ajv>()
  // Few packages use both.
  const instanceOf = (dialect: Dialect) => {
    const known = instances.get(dialect) ?? makers[dialect](options)
    instances.set(dialect, known)
    return known
  }
  const checks = new WeakMap<JsonSchema, ValidateFunction | string>()
  const checkOf = (schema: JsonSchema) => {
    const known = checks.get(schema) ?? compileWith(instanceOf(dialectOf(schema.$schema)), schema)
    checks.set(schema, known)
    return known
  }
  return {
    check(schema) {
      const check = checkOf(schema)
      return typeof check === 'string' ? [check] : []
    },
    validate(schema, value) {
      const check = checkOf(schema)
      return typeof check === 'string' ? [check] : misfitsOf(check, value, 'value')
    },
  }
}

interface Side {
  readonly style: PathStyle
  readonly useDefaults: boolean
  /** Compiling costs milliseconds, checking microseconds; a schema lives as long as its tool. */
  readonly checks: WeakMap<JsonSchema, Promise<ValidateFunction | string>>
  /** One instance for each dialect, with and without patterns. */
  readonly instances: Map<string, Promise<Ajv>>
}

const INPUT: Side = { style: 'names', useDefaults: true, checks: new WeakMap(), instances: new Map() }
const OUTPUT: Side = { style: 'pointers', useDefaults: false, checks: new WeakMap(), instances: new Map() }

async function validate(side: Side, schema: JsonSchema, value: Json): Promise<Validation> {
  const known = side.checks.get(schema) ?? compile(side, schema)
  side.checks.set(schema, known)
  const check = await known
  if (typeof check === 'string') return { kind: 'bad-schema', problem: check }
  const problems = misfitsOf(check, value, side.style)
  return problems.length === 0 ? { kind: 'fits', value } : { kind: 'misfit', problems }
}

function misfitsOf(check: ValidateFunction, value: Json, style: PathStyle): readonly string[] {
  try {
    return check(value) ? [] : describeMisfits(check.errors ?? [], style)
  } catch (error) {
    // The stack ends before a deep value does, or a schema that leads back to itself.
    if (error instanceof RangeError) return ['nested too deeply to be checked']
    throw error
  }
}

async function compile(side: Side, schema: JsonSchema): Promise<ValidateFunction | string> {
  return compileWith(await instanceFor(side, schema), schema)
}

/** The function, or why the schema cannot be compiled. References to the network are not followed. */
function compileWith(ajv: Ajv, { $schema: _named, ...rest }: JsonSchema): ValidateFunction | string {
  const schema = withOwnName(rest, ajv)
  const forget = rememberNames(ajv)
  try {
    return ajv.compile(schema)
  } catch (error) {
    if (error instanceof RangeError) return 'it refers to itself in a way that has no end'
    const { message, missingRef } = error as Error & { missingRef?: string }
    return missingRef === undefined
      ? schemaFlawWords(message, ajv.errors ?? [])
      : `it refers to \`${missingRef}\`, which is not part of it and is not fetched`
  } finally {
    ajv.removeSchema(schema)
    forget()
  }
}

type Dialect = 'draft-07' | '2020-12'

function dialectOf(named: Json | undefined): Dialect {
  return typeof named === 'string' && /\/draft-0[4-7]\//.test(named) ? 'draft-07' : '2020-12'
}

function instanceFor(side: Side, schema: JsonSchema): Promise<Ajv> {
  const dialect = dialectOf(schema.$schema)
  // Few schemas have patterns, and what checks them takes a while to load.
  const hasPatterns = JSON.stringify(schema).includes('"pattern')
  const key = `${dialect} ${hasPatterns}`
  const known = side.instances.get(key) ?? makeInstance(dialect, side.useDefaults, hasPatterns)
  side.instances.set(key, known)
  return known
}

async function makeInstance(dialect: Dialect, useDefaults: boolean, hasPatterns: boolean): Promise<Ajv> {
  const patterns = hasPatterns ? await patternOptions() : {}
  return createInstance(dialect, { ...OPTIONS, ...patterns, useDefaults })
}

/** A schema comes from a stranger, and a pattern of his must not stop the server: RE2 takes no longer than the text is long. */
async function patternOptions(): Promise<Options> {
  const patterns = await loadPatterns()
  const regExp = (pattern: string, flags: string): RegExpLike => {
    // Lookaround and references back are beyond RE2; where it cannot follow, what remains is the engine of the language.
    if (patterns.check(pattern) !== undefined) return new RegExp(pattern, flags)
    return {
      test: (text) => patterns.find(pattern, text) === true,
      toString: () => `/${pattern}/${flags}`,
    }
  }
  return { code: { regExp: Object.assign(regExp, { code: 'new RegExp' }) } }
}

interface RegExpLike {
  test(text: string): boolean
  toString(): string
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  // A required `toString` is not satisfied by the one every object has.
  ownProperties: true,
}

async function createInstance(dialect: Dialect, options: Options): Promise<Ajv> {
  return (await loadDialect(dialect))(options)
}

/** Everything that has to be waited for; instances are made at once then. */
async function loadDialect(dialect: Dialect): Promise<(options: Options) => Ajv> {
  const { default: addFormats } = await import('ajv-formats')
  if (dialect === 'draft-07') {
    const { Ajv } = await import('ajv')
    // Until draft 2019-09 nothing beside a reference counted.
    return (options) => addFormats.default(new Ajv({ ...options, ignoreKeywordsWithRef: true }))
  }
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  return (options) => addFormats.default(new Ajv2020(options))
}

/** A schema that takes the name of a built-in one goes without. */
function withOwnName(schema: JsonSchema, ajv: Ajv): JsonSchema {
  const { $id, ...nameless } = schema
  const id = typeof $id === 'string' ? $id.replace(/#$/, '') : ''
  return Object.hasOwn(ajv.schemas, id) || Object.hasOwn(ajv.refs, id) ? nameless : schema
}

/** The instance outlives reloads; what it compiled must not, and two tools may use the same `$id`. */
function rememberNames(ajv: Ajv): () => void {
  const places = [ajv.schemas, ajv.refs].map((names) => ({ names, known: new Set(Object.keys(names)) }))
  return () => {
    for (const { names, known } of places) {
      for (const name of Object.keys(names)) if (!known.has(name)) delete names[name]
    }
  }
}
