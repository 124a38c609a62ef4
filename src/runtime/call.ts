import { setMaxListeners } from 'node:events'
import {
  type Call,
  type CallResult,
  type CallTool,
  type JsonObject,
  type Measurement,
  nearest,
  OrlaError,
  type RunKind,
  type Tool,
} from '../model/index.ts'
import type { ProcessStarter } from '../platform/index.ts'
import { type Executors, type Job, type Outcome, type RunOf, refuse } from './executor.ts'
import { checkOutput } from './output.ts'
import { createQueue } from './queue.ts'
import { createSpawnExecutor } from './spawn.ts'
import { validateInput } from './validate.ts'

export interface RuntimeSettings {
  /** For tools that name none of their own. Counts from the start of the process. */
  readonly timeoutMs: number
  readonly concurrency: number
  readonly outputBytes: number
}

interface Deps {
  readonly starter: ProcessStarter
  /** Read at each call: a reload may change them. */
  readonly settings: () => RuntimeSettings
  /** What every tool inherits. */
  readonly environment: () => Readonly<Record<string, string>>
  readonly onCall?: (measurement: Measurement) => void
}

/** Look up, check the input, wait for a turn, run, check the output, measure. */
export function createCallTool({ starter, settings, environment, onCall = () => {} }: Deps): CallTool {
  const executors: Executors = { spawn: createSpawnExecutor(starter, environment) }
  const queue = createQueue(() => settings().concurrency)

  return async (call) => {
    const tool = findTool(call)
    // Many calls may share the signal of their connection; that is no leak.
    setMaxListeners(0, call.signal)
    const stopwatch = createStopwatch()
    const outcome = await carryOut(call, tool, stopwatch)
    const result: CallResult = { ...outcome.result, ms: stopwatch.ranMs() }
    onCall(measure(call, tool, outcome, result, stopwatch.queuedMs()))
    return result
  }

  async function carryOut(call: Call, tool: Tool, stopwatch: Stopwatch): Promise<Outcome> {
    const input = await checkInput(tool, call.arguments)
    if (typeof input === 'string') return refuse('input', input)
    stopwatch.queue()
    const leave = await queue.enter(call.caller.connection, call.signal)
    stopwatch.run()
    if (leave === 'cancelled') return refuse('cancelled', `\`${tool.name}\` was cancelled before it started`)
    const { timeoutMs, outputBytes } = settings()
    const { signal, progress } = call
    const job: Job = { tool, arguments: input, signal, timeoutMs, outputBytes, ...(progress && { progress }) }
    try {
      return await checkOutput(tool, await execute(executors, tool.run, job))
    } finally {
      leave()
    }
  }
}

function findTool({ catalog, name }: Call): Tool {
  const tool = catalog.tools.get(name)
  if (tool !== undefined) return tool
  const close = nearest(name, [...catalog.tools.keys()])
  throw new OrlaError('E_TOOL_NOT_FOUND', `there is no tool called \`${name}\``, {
    hint: close === undefined ? 'list the tools to see their names' : `did you mean \`${close}\`?`,
  })
}

/** The arguments to use, or what is wrong with the given ones. */
async function checkInput(tool: Tool, given: JsonObject): Promise<JsonObject | string> {
  if (tool.inputSchema === undefined) return given
  const validation = await validateInput(tool.inputSchema, given)
  switch (validation.kind) {
    case 'fits':
      // A schema checks and fills in; it does not turn an object into something else.
      return validation.value as JsonObject
    case 'misfit':
      return `the arguments of \`${tool.name}\` do not fit: ${validation.problems.join('; ')}`
    case 'bad-schema':
      return `\`${tool.name}\` has an input schema that cannot be used: ${validation.problem}`
  }
}

function execute<K extends RunKind>(executors: Executors, run: RunOf<K>, job: Job): Promise<Outcome> {
  return executors[run.kind](run, job)
}

interface Stopwatch {
  queue(): void
  run(): void
  queuedMs(): number
  ranMs(): number
}

/** Waiting in the queue does not count as running. */
function createStopwatch(): Stopwatch {
  let queued = performance.now()
  let started = queued
  return {
    queue() {
      queued = performance.now()
    },
    run() {
      started = performance.now()
    },
    queuedMs: () => Math.max(0, started - queued),
    ranMs: () => performance.now() - started,
  }
}

function measure(
  call: Call,
  tool: Tool,
  outcome: Outcome,
  result: CallResult,
  queuedMs: number,
): Measurement {
  const { exitCode, bytesIn, bytesOut } = outcome
  return {
    tool: tool.name,
    version: tool.version,
    ms: result.ms,
    queuedMs,
    success: result.ok,
    ...(!result.ok && { reason: result.reason, message: result.message }),
    exitCode,
    bytesIn,
    bytesOut,
    caller: call.caller,
  }
}
