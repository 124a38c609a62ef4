import { isJsonObject, type Json, type JsonObject, OrlaError } from '../../model/index.ts'
import { readJson } from '../json.ts'
import { anyObject, integer, list, object, required } from '../shape.ts'
import { type OutputShape, SHAPE_TYPES } from './output-shape.ts'

/** What tests found at a time that later runs are compared with. */
export interface Baseline {
  readonly tests: readonly BaselineTest[]
}

export interface BaselineTest {
  readonly package: string
  readonly tool: string
  readonly name: string
  /** From the root of its package. */
  readonly file: string
  readonly version: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Absent when no run gave a result. */
  readonly output?: OutputShape
  readonly latency: BaselineLatency
}

export interface BaselineLatency {
  /** Stands for the machine they were measured on. */
  readonly host: string
  /** How many tests ran at once then. */
  readonly atOnce: number
  readonly samplesMs: readonly number[]
}

const FORMAT = 1

const FILE = object('A baseline', {
  v: required(integer('Version of this format', { min: 1, max: 1_000_000 })),
  tests: required(list('Tests', anyObject('A test'))),
})

/** A baseline as Orla wrote it. Anything else is `E_BASELINE`, with the place and the way out. */
export function parseBaseline(source: string, file: string): Baseline {
  const { value, problems } = readJson(source, file, FILE)
  if (value !== undefined && value.v > FORMAT) {
    throw new OrlaError('E_BASELINE', `${file} was written by a newer Orla (format ${value.v})`, {
      hint: 'update Orla',
    })
  }
  const [first] = problems
  if (value === undefined || first !== undefined) {
    const { line = 1, column = 1, message = 'is not a baseline', hint } = first ?? {}
    throw damaged(`${file}:${line}:${column}: ${message}`, hint)
  }
  return {
    tests: value.tests.map((written, index) => {
      const test = readTest(written)
      if (test === undefined)
        throw damaged(`${file}: entry ${index + 1} of \`tests\` is not what Orla writes`)
      return test
    }),
  }
}

/** The same baseline is always the same text: a key in a line, tests by tool and name. */
export function formatBaseline({ tests }: Baseline): string {
  const sorted = [...tests].sort((a, b) => order(keyOf(a), keyOf(b)))
  const entries = sorted.map((test) => {
    const lines = Object.entries(written(test)).map(
      ([key, value]) => `      "${key}": ${JSON.stringify(value)}`,
    )
    return `    {\n${lines.join(',\n')}\n    }`
  })
  const inside = entries.length === 0 ? '' : `\n${entries.join(',\n')}\n  `
  return `{\n  "v": ${FORMAT},\n  "tests": [${inside}]\n}\n`
}

function keyOf({ tool, name, file }: BaselineTest): string {
  return [tool, name, file].join('\0')
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function written({ package: from, tool, name, file, version, status, output, latency }: BaselineTest) {
  const { host, atOnce, samplesMs } = latency
  return {
    package: from,
    tool,
    name,
    file,
    version,
    status,
    ...(output === undefined ? {} : { output }),
    latency: { host, at_once: atOnce, samples_ms: samplesMs },
  }
}

function readTest(test: JsonObject): BaselineTest | undefined {
  const { package: from, tool, name, file, version, output, latency } = test
  const status = (['passed', 'failed', 'skipped'] as const).find((one) => one === test.status)
  if (!isText(from) || !isText(tool) || !isText(name) || !isText(file) || !isText(version)) return undefined
  if (status === undefined || (output !== undefined && !isShape(output)) || !isJsonObject(latency))
    return undefined
  const { host, at_once: atOnce, samples_ms: samplesMs } = latency
  if (!isText(host) || typeof atOnce !== 'number' || !isNumbers(samplesMs)) return undefined
  return {
    package: from,
    tool,
    name,
    file,
    version,
    status,
    ...(output === undefined ? {} : { output }),
    latency: { host, atOnce, samplesMs },
  }
}

function isShape(value: Json): value is Json & OutputShape {
  if (!isJsonObject(value)) return false
  const { types, keys, optional, items, open } = value
  return (
    isTexts(types) &&
    types.every((type) => SHAPE_TYPES.some((known) => known === type)) &&
    (keys === undefined || (isJsonObject(keys) && Object.values(keys).every(isShape))) &&
    (optional === undefined || isTexts(optional)) &&
    (items === undefined || isShape(items)) &&
    (open === undefined || open === true)
  )
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string'
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

function isNumbers(value: Json | undefined): value is readonly number[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'number' && one >= 0)
}

function damaged(message: string, hint?: string): OrlaError {
  const way = 'restore it from version control, or write it anew with `orla test --all --baseline`'
  const isConflict = hint?.includes('merge conflict') ?? false
  return new OrlaError('E_BASELINE', message, {
    hint: isConflict ? `resolve the merge conflict, ${way}` : way,
  })
}
