import type { Ajv, Options, ValidateFunction } from 'ajv'
import type { Json, JsonSchema } from '../model/index.ts'
import { describeMisfits, type PathStyle } from './misfit-words.ts'

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

interface Side {
  readonly style: PathStyle
  readonly useDefaults: boolean
  /** Compiling costs milliseconds, checking microseconds; a schema lives as long as its tool. */
  readonly checks: WeakMap<JsonSchema, Promise<ValidateFunction | string>>
  /** One instance for each dialect. */
  readonly instances: Map<Dialect, Promise<Ajv>>
}

const INPUT: Side = { style: 'names', useDefaults: true, checks: new WeakMap(), instances: new Map() }
const OUTPUT: Side = { style: 'pointers', useDefaults: false, checks: new WeakMap(), instances: new Map() }

async function validate(side: Side, schema: JsonSchema, value: Json): Promise<Validation> {
  const known = side.checks.get(schema) ?? compile(side, schema)
  side.checks.set(schema, known)
  const check = await known
  if (typeof check === 'string') return { kind: 'bad-schema', problem: check }
  if (check(value)) return { kind: 'fits', value }
  return { kind: 'misfit', problems: describeMisfits(check.errors ?? [], side.style) }
}

/** The function, or why the schema cannot be compiled. References to the network are not followed. */
async function compile(side: Side, schema: JsonSchema): Promise<ValidateFunction | string> {
  const { $schema: named, ...rest } = schema
  const ajv = await instanceFor(side, dialectOf(named))
  try {
    return ajv.compile(rest)
  } catch (error) {
    const { message, missingRef } = error as Error & { missingRef?: string }
    return missingRef === undefined
      ? message
      : `it refers to \`${missingRef}\`, which is not part of it and is not fetched`
  } finally {
    forget(ajv, rest)
  }
}

type Dialect = 'draft-07' | '2020-12'

function dialectOf(named: Json | undefined): Dialect {
  return typeof named === 'string' && /\/draft-0[4-7]\//.test(named) ? 'draft-07' : '2020-12'
}

function instanceFor(side: Side, dialect: Dialect): Promise<Ajv> {
  const known =
    side.instances.get(dialect) ?? createInstance(dialect, { ...OPTIONS, useDefaults: side.useDefaults })
  side.instances.set(dialect, known)
  return known
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  verbose: true,
  logger: false,
  // A required `toString` is not satisfied by the one every object has.
  ownProperties: true,
  // Two tools may use the same `$id`.
  addUsedSchema: false,
}

async function createInstance(dialect: Dialect, options: Options): Promise<Ajv> {
  const { default: addFormats } = await import('ajv-formats')
  if (dialect === 'draft-07') {
    const { Ajv } = await import('ajv')
    return addFormats.default(new Ajv(options))
  }
  const { Ajv2020 } = await import('ajv/dist/2020.js')
  return addFormats.default(new Ajv2020(options))
}

/** The instance outlives reloads; what it compiled must not. A schema that took the name of a built-in one stays. */
function forget(ajv: Ajv, schema: JsonSchema): void {
  const id = typeof schema.$id === 'string' ? schema.$id.replace(/#$/, '') : ''
  if (!Object.hasOwn(ajv.schemas, id) && !Object.hasOwn(ajv.refs, id)) ajv.removeSchema(schema)
}
