import { setMaxListeners } from 'node:events'
import {
  type Call,
  type Caller,
  type CallResult,
  type CallTool,
  type JsonObject,
  type JsonSchema,
  type Measurement,
  nearest,
  type ObserveCall,
  OrlaError,
  type RunKind,
  type Tool,
} from '../model/index.ts'
import type { HttpClient, ProcessStarter } from '../platform/index.ts'
import type { Capsules } from './capsule/capsules.ts'
import { createChainExecutor } from './chain/executor.ts'
import type { Confine } from './confine.ts'
import { withDeadline } from './deadline.ts'
import { type Executor, type Executors, type Job, type Outcome, type RunOf, refuse } from './executor.ts'
import { createImplementationsExecutor, type OrderCandidates } from './implementations/executor.ts'
import { createHttpRunner, type RunHttp } from './implementations/http.ts'
import { createLocalRunner } from './implementations/local.ts'
import { createStopwatch, measure, measureUnknown, type Stopwatch, shortName } from './measurement.ts'
import { checkOutput } from './output.ts'
import { createProgramRunner } from './program.ts'
import { createQueue } from './queue.ts'
import { createSpawnExecutor } from './spawn.ts'
import { shortest } from './time-limit.ts'
import { validateInput } from './validate.ts'

export interface RuntimeSettings {
  /** For tools that name none of their own. Counts from the start of the process. */
  readonly timeoutMs: number
  readonly concurrency: number
  readonly outputBytes: number
  /** Nobody may take longer, whatever it says; null for no such bound. */
  readonly mostMs?: number | null
}

interface Deps {
  readonly starter: ProcessStarter
  /** Read at each call: a reload may change them. */
  readonly settings: () => RuntimeSettings
  /** What every tool inherits. */
  readonly environment: () => Readonly<Record<string, string>>
  /** Without it programs start as they are. */
  readonly confine?: Confine
  readonly onCall?: (measurement: Measurement) => void
  /** Asked at each call: who hears of its arguments and its result, if anyone does. */
  readonly observer?: () => ObserveCall | undefined
  /** Without it tools that run in capsules are refused. */
  readonly capsules?: Pick<Capsules, 'execute'>
  /** Without it tools that are reached over HTTP are refused. */
  readonly http?: HttpClient
  /** The value of a secret by its name. */
  readonly secret?: (name: string) => string | undefined
  /** Which implementation to try first; as they stand unless told. */
  readonly order?: OrderCandidates
  /** Why a tool may not run for this caller; undefined when it may. Asked for each step of a chain too. */
  readonly admit?: (tool: Tool, caller: Caller) => string | undefined
  /** Looks at a tool before each call of it; what it says, the call is denied with. */
  readonly check?: CallCheck
  /** What goes around each call that a chain makes. Around the others goes what the caller puts there. */
  readonly aroundStep?: (callTool: CallTool) => CallTool
}

export interface CallCheck {
  before(tool: Tool): string | undefined | Promise<string | undefined>
  /** How long it took. */
  after(tool: Tool, ms: number): void
}

/** What a call that a chain makes knows beside the call itself. */
export interface Inside {
  readonly depth: number
  /** Beside the limit the tool has. */
  readonly timeoutMs?: number
}

/** Look up, check the input, wait for a turn, run, check the output, measure. */
export function createCallTool(deps: Deps): CallTool {
  const {
    starter,
    settings,
    environment,
    onCall = () => {},
    observer = () => undefined,
    capsules,
    http,
    secret = () => undefined,
    order,
    confine,
    check,
    admit = () => undefined,
    aroundStep = (callTool) => callTool,
  } = deps
  const queue = createQueue(() => settings().concurrency)
  const runProgram = createProgramRunner(starter, environment, secret, confine)
  const executors: Executors = {
    spawn: createSpawnExecutor(runProgram),
    capsule: capsules?.execute ?? refuseCapsule,
    implementations: createImplementationsExecutor({
      runLocal: createLocalRunner(runProgram),
      runHttp: http ? createHttpRunner(http, secret) : refuseHttp,
      order: order ?? asTheyStand,
    }),
    chain: createChainExecutor({
      callInside: (call, inside) => aroundStep((step) => perform(step, inside))(call),
      enter: (...who) => queue.enter(...who),
      mayCall: (tool, caller) => admit(tool, caller) === undefined,
    }),
  }

  /** A call inside a chain runs on a place that the chain has. */
  async function perform(call: Call, inside?: Inside): Promise<CallResult> {
    const tool = call.catalog.tools.get(call.name)
    if (tool === undefined) {
      const withheld = withheldMessage(call)
      if (withheld !== undefined) {
        onCall({ ...measureUnknown(call, withheld), reason: 'denied' })
        return { ...refuse('denied', withheld).result, ms: 0 }
      }
      const error = notFound(call)
      onCall(measureUnknown(call, error.message))
      throw error
    }
    // Many calls may share the signal of their connection; that is no leak.
    if (call.signal instanceof EventTarget) setMaxListeners(0, call.signal)
    const stopwatch = createStopwatch()
    const outcome = await carryOut(call, tool, stopwatch, inside)
    const result = timed(outcome.result, stopwatch.ranMs())
    check?.after(tool, result.ms)
    onCall(measure(call, tool, outcome, result, stopwatch.queuedMs()))
    if (inside === undefined) observer()?.(call, tool, result)
    return result
  }

  async function carryOut(call: Call, tool: Tool, stopwatch: Stopwatch, inside?: Inside): Promise<Outcome> {
    const denial = admit(tool, call.caller)
    if (denial !== undefined) return refuse('denied', denial)
    const schema = tool.inputSchema
    const input = schema === undefined ? call.arguments : await checkInput(tool, schema, call.arguments)
    if (typeof input === 'string') return refuse('input', input)
    stopwatch.queue()
    const leave = inside
      ? undefined
      : (queue.enterNow(call.signal) ?? (await queue.enter(call.caller.connection, call.signal)))
    stopwatch.run()
    if (leave === 'cancelled') return refuse('cancelled', `\`${tool.name}\` was cancelled before it started`)
    const { timeoutMs, outputBytes, mostMs } = settings()
    const own = tool.origin.kind === 'package' ? tool.origin.package.limits : {}
    const { signal, progress } = call
    const job: Job = {
      tool,
      arguments: input,
      signal,
      timeoutMs,
      mostMs: shortest(mostMs, own.timeoutMs),
      outputBytes: Math.min(outputBytes, own.outputBytes ?? Number.POSITIVE_INFINITY),
      call,
      depth: inside?.depth ?? 0,
    }
    try {
      const looked = check?.before(tool)
      const change = looked instanceof Promise ? await looked : looked
      if (change !== undefined) return refuse('denied', change)
      const outcome = await within(inside?.timeoutMs, progress ? { ...job, progress } : job, tool)
      return tool.outputSchema === undefined ? outcome : await checkOutput(tool, outcome)
    } finally {
      leave?.()
    }
  }

  function within(timeoutMs: number | undefined, job: Job, { name, run }: Tool): Promise<Outcome> {
    if (timeoutMs === undefined) return execute(executors, run, job)
    const limits = { name, timeoutMs, signal: job.signal }
    return withDeadline(limits, (signal) => execute(executors, run, { ...job, signal }))
  }

  return (call) => perform(call)
}

const refuseCapsule: Executor<'capsule'> = async (_, { tool }) =>
  refuse('spawn', `\`${tool.name}\` cannot start: it runs in a capsule, and none are kept here`)

const refuseHttp: RunHttp = async (_, { tool }) =>
  refuse('spawn', `\`${tool.name}\` cannot start: it is reached over HTTP, and nothing is sent from here`)

const asTheyStand: OrderCandidates = (_, candidates) => candidates

/** It is there, and something keeps it from being served. */
function withheldMessage({ catalog, name }: Call): string | undefined {
  const problem = catalog.problems.find(({ tool }) => tool === name)
  if (problem === undefined) return undefined
  return `\`${shortName(name)}\` ${problem.message}${problem.hint === undefined ? '' : `; ${problem.hint}`}`
}

function notFound({ catalog, name }: Call): OrlaError {
  const shown = shortName(name)
  const close = nearest(shown, [...catalog.tools.keys()])
  return new OrlaError('E_TOOL_NOT_FOUND', `there is no tool called \`${shown}\``, {
    hint: close === undefined ? 'list the tools to see their names' : `did you mean \`${close}\`?`,
  })
}

/** The arguments to use, or what is wrong with the given ones. */
async function checkInput(tool: Tool, schema: JsonSchema, given: JsonObject): Promise<JsonObject | string> {
  const validation = await validateInput(schema, given)
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

/** Written out, because an object that is copied to be added to is of a kind of its own each time. */
function timed(result: Outcome['result'], ms: number): CallResult {
  const { output } = result
  if (result.ok) return { ok: true, output, ms }
  return { ok: false, reason: result.reason, message: result.message, output, ms }
}

function execute<K extends RunKind>(executors: Executors, run: RunOf<K>, job: Job): Promise<Outcome> {
  return executors[run.kind](run, job)
}
