import { type ChainStep, isToolName, type Json, type StepInput } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { anyJson, bool, type Flaw, integer, map, type Shape, text } from '../shape.ts'
import { timeoutMs } from './endpoint.ts'
import { lenient } from './lenient.ts'
import { refine } from './refine.ts'

const DEFAULT_CONCURRENCY = 4
const DAY = 86_400_000

const name = (about: string) => text(about, { check: wrongName })
const path = (about: string) => text(about, { check: wrongPath })

const FIELDS = lenient('One step', {
  step: name('Name of the step'),
  tool: text('Which tool it calls', { check: wrongTool }),
  inputMapping: map(
    'Its arguments: JSONPaths into $.input and earlier outputs, or values',
    anyJson('Path or value'),
  ),
  outputKey: name('Name of its output for later steps'),
  when: path('Only when this path selects something'),
  forEach: path('Once for each value this path selects; $.item and $.index inside'),
  concurrency: integer('How many of them at once', { min: 1, max: 256 }),
  retry: integer('Further attempts when it fails', { min: 0, max: 100 }),
  timeoutMs,
  optional: bool('Its failure does not end the chain'),
  parallel: bool('May run beside steps whose outputs it does not use'),
  cache: refine(
    lenient('Keep its outputs', { ttl: integer('For how long, in milliseconds', { min: 1, max: 30 * DAY }) }),
    ({ ttl }, { need }) => {
      need('ttl')
      return ttl === undefined ? undefined : { ttlMs: ttl }
    },
  ),
})

/** What could be read of one. Nobody knows how later steps call its output when a name is not as it should be. */
export type ReadStep = Omit<ChainStep, 'step' | 'tool' | 'outputKey'> &
  Partial<Pick<ChainStep, 'step' | 'tool' | 'outputKey'>>

/** One element of `chain`. What its paths refer to is for whoever sees the other steps. */
export const CHAIN_STEP: Shape<ReadStep> = refine(FIELDS, (value, { has, tell, need }) => {
  need('step', 'tool')
  const { step, tool, when, forEach, concurrency, retry = 0, cache } = value
  if (concurrency !== undefined && !has('forEach')) {
    tell(['concurrency'], { message: 'has an effect beside `forEach` only', severity: 'warning' })
  }
  return compact<ReadStep>({
    step,
    tool,
    input: inputOf(value.inputMapping ?? {}),
    outputKey: has('outputKey') ? value.outputKey : step,
    when,
    forEach,
    concurrency: concurrency ?? DEFAULT_CONCURRENCY,
    retry,
    timeoutMs: value.timeoutMs,
    optional: value.optional ?? false,
    parallel: value.parallel ?? false,
    cache,
  })
})

export function isChainStep(read: ReadStep | undefined): read is ChainStep {
  return read?.step !== undefined && read.tool !== undefined && read.outputKey !== undefined
}

function inputOf(mapping: Readonly<Record<string, Json>>): ChainStep['input'] {
  return Object.fromEntries(Object.entries(mapping).map(([key, value]) => [key, stepInput(value)]))
}

/** A text that begins like a path is one; `$5` and everything else stands for itself. */
function stepInput(value: Json): StepInput {
  return typeof value === 'string' && /^\$(?:$|[.[])/.test(value)
    ? { kind: 'path', path: value }
    : { kind: 'literal', value }
}

const OWN_NAMES = ['input', 'item', 'index']

function wrongName(written: string): Flaw | undefined {
  if (OWN_NAMES.includes(written))
    return { message: `cannot be ${written}: $.${written} means something else` }
  if (/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(written)) return undefined
  const shown = JSON.stringify(written.slice(0, 80))
  return {
    message: `must be a name of letters, digits, _ and -, not ${shown}`,
    hint: 'for example clean_text',
  }
}

function wrongTool(written: string): Flaw | undefined {
  if (isToolName(written)) return undefined
  const message = `${JSON.stringify(written.slice(0, 80))} cannot be the name of a tool`
  const [name = '', version] = written.split('@', 2)
  if (version === undefined || !isToolName(name)) return { message }
  return { message, hint: `write ${name}; \`versions\` of orla.yaml says which version of it serves` }
}

function wrongPath(written: string): Flaw | undefined {
  return written.startsWith('$')
    ? undefined
    : { message: 'must be a JSONPath, which begins with $', hint: 'for example $.input.files[*]' }
}
