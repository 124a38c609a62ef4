import { listChains, type ShownChain, type Suggestion, showChain, suggestChains } from '../../app/index.ts'
import { type ChainStep, oneLine, type StepInput } from '../../model/index.ts'
import type { Handler } from '../command.ts'
import type { Printer } from '../printer.ts'
import { configRequest } from '../settings.ts'
import { parseSince } from '../since.ts'

export const chainListCommand: Handler = async (input, { world, printer }) => {
  const chains = await listChains(world, configRequest(input))
  if (input.flag('json')) {
    printer.json({ chains: chains.map(asJson) })
    return 0
  }
  if (chains.length === 0) {
    printer.note('There are no chains. `orla new ID --mcpkg --chain TOOL,TOOL` starts one.')
    return 0
  }
  printer.table(
    chains.map(({ name, version, steps, problem }) => [
      name,
      version,
      problem === null ? 'served' : 'problem',
      steps.map(({ tool }) => tool).join(' → '),
    ]),
    ['NAME', 'VERSION', 'STATE', 'CALLS'],
  )
  for (const { problem } of chains) if (problem !== null) printer.note(oneLine(problem))
  return 0
}

export const chainShowCommand: Handler = async (input, { world, printer }) => {
  const chain = await showChain(world, configRequest(input), input.positionals[0] ?? '')
  if (input.flag('json')) {
    printer.json(asJson(chain))
    return 0
  }
  printer.data(`${printer.paint('bold', chain.name)} ${chain.version}  ${oneLine(chain.description)}`)
  if (chain.problem !== null) printer.data(`  ${oneLine(chain.problem)}`)
  for (const [index, step] of chain.steps.entries()) {
    printer.data(`\n${index + 1}. ${step.step}  ${step.tool}${extensionsOf(step)}`)
    printer.table(Object.entries(step.input).map(([key, from]) => ['  ', key, sourceOf(from)]))
  }
  if (chain.permissions.length > 0) printer.data('')
  for (const { word, tools } of chain.permissions)
    printer.data(`may  ${oneLine(word)}, through ${tools.join(', ')}`)
  if (chain.advice !== null) printer.data(`\n${adviceOf(chain.advice)}`)
  return 0
}

function adviceOf({ parallel, now_ms, then_ms }: NonNullable<ShownChain['advice']>): string {
  const saved = now_ms === null || then_ms === null ? '' : `: about ${then_ms} ms instead of ${now_ms}`
  const [steps, they] = parallel.length === 1 ? ['step', 'it uses'] : ['steps', 'they use']
  return `\`parallel: true\` at ${steps} ${parallel.join(', ')} makes it faster${saved}; ${they} nothing of what runs beside.`
}

function asJson({ steps, ...chain }: ShownChain) {
  return {
    ...chain,
    steps: steps.map(({ step, tool, input, outputKey, when, forEach, timeoutMs, cache, ...rest }) => ({
      step,
      tool,
      input_mapping: Object.fromEntries(
        Object.entries(input).map(([key, from]) => [key, from.kind === 'path' ? from.path : from.value]),
      ),
      output_key: outputKey,
      when: when ?? null,
      for_each: forEach ?? null,
      timeout_ms: timeoutMs ?? null,
      cache_ttl_ms: cache?.ttlMs ?? null,
      ...rest,
    })),
  }
}

function sourceOf(from: StepInput): string {
  return oneLine(from.kind === 'path' ? from.path : JSON.stringify(from.value))
}

/** Only what is not as it would be anyway. */
function extensionsOf({
  when,
  forEach,
  concurrency,
  retry,
  timeoutMs,
  optional,
  parallel,
  cache,
}: ChainStep): string {
  const words = [
    when === undefined ? '' : `when ${oneLine(when)}`,
    forEach === undefined ? '' : `for each ${oneLine(forEach)}, ${concurrency} at once`,
    retry === 0 ? '' : `retry ${retry}`,
    timeoutMs === undefined ? '' : `within ${timeoutMs} ms`,
    optional ? 'optional' : '',
    parallel ? 'parallel' : '',
    cache === undefined ? '' : `cached for ${cache.ttlMs} ms`,
  ].filter((word) => word !== '')
  return words.length === 0 ? '' : `  (${words.join('; ')})`
}

export const chainSuggestCommand: Handler = async (input, { world, printer }) => {
  const found = await suggestChains(world, configRequest(input), {
    since: parseSince(input.text('since'), Date.now()),
    folder: input.text('output') ?? 'chains',
    dryRun: input.flag('dry-run'),
  })
  if (input.flag('json')) {
    printer.json({ record_calls: found.mode, calls: found.calls, suggestions: found.suggestions })
    return 0
  }
  for (const suggestion of found.suggestions) printSuggestion(printer, suggestion)
  if (found.suggestions.length > 0) return 0
  if (found.calls === 0 && found.mode === 'off') {
    printer.note('No calls are recorded: `record_calls` is off.')
    printer.note('Set `record_calls: hashed` in orla.yaml, work for a while, and ask again.')
  } else {
    printer.note(`Nothing was found in ${found.calls} recorded calls.`)
    printer.note(
      'It takes two runs of the same tools, one call given what another gave, with different values.',
    )
  }
  return 0
}

function printSuggestion(printer: Printer, one: Suggestion): void {
  printer.data(`${printer.paint('bold', one.tool_id)} ${one.version}`)
  printer.data(
    `  score ${one.score}: seen ${one.seen} times, ${one.different} with different arguments; its first tool was called ${one.first_tool_calls} times`,
  )
  for (const step of one.steps) {
    printer.data(`  ${step.step}  ${step.tool}`)
    printer.table(
      step.arguments.map(({ name, mapping, kind, values }) => [
        '   ',
        name,
        oneLine(kind !== 'literal' && typeof mapping === 'string' ? mapping : JSON.stringify(mapping)),
        REASONS[kind](values, one.seen),
      ]),
    )
  }
  printer.data(`  ${outcomeOf(one)}\n`)
}

/** Why an argument is mapped as it is. */
const REASONS = {
  output: (values: number, seen: number) => `equal in all ${seen} runs, ${values} different values`,
  input: (values: number) => {
    if (values === 0) return 'may be a secret or is large: not recorded'
    return values === 1 ? 'always the same, but its value was not kept' : `${values} different values`
  },
  literal: () => 'always the same',
} as const satisfies Record<Suggestion['steps'][number]['arguments'][number]['kind'], unknown>

function outcomeOf({ status, folder }: Suggestion): string {
  switch (status) {
    case 'written':
      return `written to ${folder}`
    case 'unchanged':
      return `is in ${folder} already`
    case 'other':
      return `not written: there is another manifest.json in ${folder}`
    case 'known':
      return 'is served already'
    case 'not written':
      return 'not written'
  }
}
