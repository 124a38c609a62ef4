import { pathSelector } from '../../formats/index.ts'
import type { CallRecord, Json, JsonObject, JsonSchema, KeptValue, Tool } from '../../model/index.ts'
import { isJsonObject } from '../../model/index.ts'
import { argumentsAt, bestSource, commonSources, differentValues } from './links.ts'
import type { Sequence } from './sequences.ts'
import { stepNames } from './step-names.ts'

/** A chain that does what was seen. */
export interface Draft {
  readonly steps: readonly DraftStep[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
}

export interface DraftStep {
  readonly step: string
  readonly tool: string
  readonly arguments: readonly DraftArgument[]
}

export interface DraftArgument {
  readonly name: string
  /** As the manifest says it: a path, or the value itself. */
  readonly mapping: Json
  readonly kind: 'output' | 'input' | 'literal'
  /** Different values it had in the calls; 0 where they were not recorded. */
  readonly values: number
}

interface Deps {
  readonly tools: ReadonlyMap<string, Tool>
  /** The hash that a value would have: what everyone knows can be recognised. */
  readonly hash: (value: Json) => string
}

/** What the caller of the chain has to give. */
interface Input {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  /** Its values, occurrence by occurrence. */
  readonly hashes: readonly string[]
}

export function draftOf({ tools: names, occurrences }: Sequence, { tools, hash }: Deps): Draft {
  const steps = stepNames(names)
  const inputs: Input[] = []

  function argumentOf(at: number, name: string): DraftArgument {
    const values = differentValues(occurrences, at, name)
    const source = bestSource(commonSources(occurrences, at, name))
    if (source !== undefined)
      return { name, kind: 'output', values, mapping: `$.${steps[source.from]}${source.path.slice(1)}` }
    const property = propertyOf(tools.get(names[at] ?? ''), name)
    const kept = occurrences.map((calls) => calls[at]?.input[name])
    const literal = values === 1 ? literalOf(kept[0], property, hash) : undefined
    if (literal !== undefined && !looksLikePath(literal))
      return { name, kind: 'literal', values, mapping: literal }
    const input = inputFor(at, name, kept, property)
    const isRecorded = kept.every((value) => value?.hash !== '')
    return {
      name,
      kind: 'input',
      values: isRecorded ? values : 0,
      mapping: `$.input${pathSelector(input.name)}`,
    }
  }

  /** Two arguments that were always the same are one. */
  function inputFor(
    at: number,
    name: string,
    kept: readonly (KeptValue | undefined)[],
    property: JsonSchema | undefined,
  ): Input {
    const hashes = kept.map((value) => value?.hash ?? '')
    const same = inputs.find(
      (one) => !hashes.includes('') && one.hashes.every((value, index) => value === hashes[index]),
    )
    if (same !== undefined) return same
    const type = kept.find((value) => value !== undefined)?.type
    const made: Input = {
      name: freeName(name, steps[at] ?? '', inputs),
      schema: property ?? (type === undefined ? {} : { type }),
      required: kept.every((value) => value !== undefined),
      hashes,
    }
    inputs.push(made)
    return made
  }

  const drafted = names.map((tool, at) => ({
    step: steps[at] ?? tool,
    tool,
    arguments: argumentsAt(occurrences, at).map((name) => argumentOf(at, name)),
  }))
  return {
    steps: drafted,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(inputs.map(({ name, schema }) => [name, schema])),
      required: inputs.filter(({ required }) => required).map(({ name }) => name),
    },
    outputSchema: tools.get(names.at(-1) ?? '')?.outputSchema ?? {},
  }
}

/** What the tool says about an argument. References lead nowhere outside their schema. */
function propertyOf(tool: Tool | undefined, name: string): JsonSchema | undefined {
  const properties = tool?.inputSchema?.properties
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isJsonObject(property) || JSON.stringify(property).includes('"$')) return undefined
  return property
}

/** The value that an argument always had, where it was kept or is one that anyone would guess. */
function literalOf(
  kept: KeptValue | undefined,
  property: JsonObject | undefined,
  hash: Deps['hash'],
): Json | undefined {
  if (kept === undefined || kept.hash === '') return undefined
  if (kept.value !== undefined) return kept.value
  const choices = Array.isArray(property?.enum) ? property.enum : []
  return [...GUESSES, ...choices, ...(property?.default === undefined ? [] : [property.default])].find(
    (value) => hash(value) === kept.hash,
  )
}

const GUESSES: readonly Json[] = [
  true,
  false,
  null,
  '',
  ...Array.from({ length: 101 }, (_, number) => number),
]

/** In a manifest such a text would be taken for a path. */
function looksLikePath(value: Json): boolean {
  return typeof value === 'string' && value.startsWith('$')
}

function freeName(name: string, step: string, inputs: readonly Input[]): string {
  const isFree = (word: string) => !inputs.some((input) => input.name === word)
  if (isFree(name)) return name
  const longer = `${step}_${name}`
  if (isFree(longer)) return longer
  for (let number = 2; ; number++) if (isFree(`${longer}_${number}`)) return `${longer}_${number}`
}

/** The mapping of a step as the manifest writes it. */
export function mappingOf(step: DraftStep): JsonObject {
  return Object.fromEntries(step.arguments.map(({ name, mapping }) => [name, mapping]))
}

/** When its first and its last occurrence began. */
export function timesOf(occurrences: readonly (readonly CallRecord[])[]): { first: number; last: number } {
  const times = occurrences.map((calls) => calls[0]?.at ?? 0)
  return { first: Math.min(...times), last: Math.max(...times) }
}
