import { type JsonPath, loadJsonPath } from '../../formats/index.ts'
import type { Call, Caller, CallResult, Catalog, ChainStep, Json, Tool } from '../../model/index.ts'
import { withDeadline } from '../deadline.ts'
import { type Executor, type Job, type Outcome, type RunOf, refuse } from '../executor.ts'
import type { Queue } from '../queue.ts'
import { createStepCaller, type Given } from './call-step.ts'
import { eachInOrder } from './each.ts'
import { failAt } from './failure.ts'
import { mapInput, selectAll } from './mapping.ts'
import { createMemory } from './memory.ts'
import { createPlaces } from './places.ts'
import { resultOf, sizeOf, stepValue } from './result.ts'
import { placesOf, runInOrder } from './schedule.ts'

/** A chain of chains of chains is a mistake long before this. */
const MAX_DEPTH = 16

interface Deps {
  /** The path of every call, without the queue. */
  readonly callInside: (call: Call, inside: { depth: number; timeoutMs?: number }) => Promise<CallResult>
  readonly enter: Queue['enter']
  /** What a tool gave before is given again only to who may call it now. */
  readonly mayCall: (tool: Tool, caller: Caller) => boolean
}

/** Calls one tool after the other, each with what the ones before it gave. */
export function createChainExecutor({ callInside, enter, mayCall }: Deps): Executor<'chain'> {
  const memory = createMemory()
  let loading: Promise<JsonPath> | undefined

  return async (run, job) => {
    const { name } = job.tool
    if (job.depth >= MAX_DEPTH)
      return refuse('limit', `\`${name}\` is not started: it is inside ${MAX_DEPTH} other chains`)
    loading ??= loadJsonPath()
    const jsonPath = await loading
    return withDeadline({ name, timeoutMs: run.timeoutMs ?? 0, signal: job.signal }, (signal) => {
      const { caller, catalog } = job.call
      const places = createPlaces((waiting) => enter(caller.connection, waiting))
      const callStep = createStepCaller({
        places,
        memory,
        digestOf: (tool) => digestOf(tool, catalog, (one) => mayCall(one, caller)),
        call: (step, args, stop) =>
          callInside(
            { catalog, caller, name: step.tool, arguments: args, signal: stop, chain: name },
            { depth: job.depth + 1, ...(step.timeoutMs !== undefined && { timeoutMs: step.timeoutMs }) },
          ),
      })
      return runChain(run, { ...job, signal }, jsonPath, callStep)
    })
  }
}

/** Of a chain with that of every tool it calls: what it gives is what they give. None where one may not be called. */
function digestOf(
  name: string,
  catalog: Catalog,
  mayCall: (tool: Tool) => boolean,
  depth = 0,
): string | undefined {
  const tool = catalog.tools.get(name)
  if (tool === undefined || !mayCall(tool) || depth > MAX_DEPTH) return undefined
  if (tool.run.kind !== 'chain') return tool.digest
  const called = [...new Set(tool.run.steps.map((step) => step.tool))]
  const digests = called.map((one) => digestOf(one, catalog, mayCall, depth + 1))
  return digests.includes(undefined) ? undefined : [tool.digest, ...digests].join(' ')
}

type CallStep = ReturnType<typeof createStepCaller>

async function runChain(
  { steps }: RunOf<'chain'>,
  job: Job,
  jsonPath: JsonPath,
  callStep: CallStep,
): Promise<Outcome> {
  const places = placesOf(steps)
  const given: (Given | undefined)[] = steps.map(() => undefined)
  const stop = new AbortController()
  const giveUp = () => stop.abort()
  let failure: Outcome | undefined
  let begun = 0

  function fail(step: ChainStep, result: Parameters<typeof failAt>[2]): undefined {
    if (step.optional || stop.signal.aborted) return undefined
    failure = failAt(job.tool.name, step, result)
    stop.abort()
  }

  /** What its paths look at: the input and what earlier steps gave, by both names. */
  function scopeOf(index: number): Record<string, Json> {
    const outputs = (places[index]?.looksAt ?? []).flatMap((earlier) => {
      const step = steps[earlier]
      const value = given[earlier]?.value
      if (step === undefined || value === undefined) return []
      return [[step.step, value] as const, [step.outputKey, value] as const]
    })
    return Object.fromEntries([['input', job.arguments], ...outputs])
  }

  async function callOnce(
    step: ChainStep,
    scope: Record<string, Json>,
    item?: number,
  ): Promise<Given | undefined> {
    const input = mapInput(step, scope, jsonPath)
    if ('problem' in input) return fail(step, { reason: 'input', message: input.problem, item })
    const result = await callStep(step, input.value, stop.signal)
    if (result.ok) return { output: result.output, value: stepValue(result.output) }
    return fail(step, { ...result, item })
  }

  async function callEach(
    step: ChainStep,
    path: string,
    scope: Record<string, Json>,
  ): Promise<Given | undefined> {
    const items = selectAll(path, scope, jsonPath)
    if ('problem' in items) return fail(step, { reason: 'input', message: items.problem })
    const all = await eachInOrder(items.values, step.concurrency, async (item, index) =>
      stop.signal.aborted ? undefined : callOnce(step, { ...scope, item, index }, index),
    )
    // One that failed and may fail leaves its place empty, so that the others keep theirs.
    const value = all.map((one) => one?.value ?? null)
    return stop.signal.aborted ? undefined : { value }
  }

  async function runStep(index: number): Promise<void> {
    const step = steps[index]
    if (step === undefined || stop.signal.aborted) return
    begun++
    job.progress?.({ progress: begun, total: steps.length, message: step.step })
    const scope = scopeOf(index)
    const { when, forEach } = step
    if (when !== undefined) {
      const found = selectAll(when, scope, jsonPath)
      if ('problem' in found) return fail(step, { reason: 'input', message: found.problem })
      if (found.values.length === 0) return
    }
    given[index] = forEach === undefined ? await callOnce(step, scope) : await callEach(step, forEach, scope)
  }

  if (job.signal.aborted) giveUp()
  job.signal.addEventListener('abort', giveUp, { once: true })
  try {
    await runInOrder(places, runStep)
  } finally {
    job.signal.removeEventListener('abort', giveUp)
  }
  if (failure !== undefined) return { ...failure, bytesIn: sizeOf(job.arguments) }
  if (stop.signal.aborted) return refuse('cancelled', `\`${job.tool.name}\` was cancelled`)
  return resultOf(job, given)
}
