import { setMaxListeners } from 'node:events'
import type { RunRequest } from '../launcher/run.ts'
import type { ProcessEnd, ProcessStarter } from '../starter.ts'
import { createBootstrapFile } from './bootstrap-file.ts'
import { describeCall } from './hand-over.ts'
import { type Plan, planWarm } from './plan.ts'
import { createPool, type WarmSettings } from './pool.ts'
import { runWaiting } from './run-waiting.ts'

/**
 * Carries out calls of Python and Node scripts in interpreters that were started before the call was known. Each
 * serves one call and ends. Whatever such a process might do differently is left to `starter`.
 */
export function createWarmStarter(starter: ProcessStarter, settings: () => WarmSettings): ProcessStarter {
  const bootstrap = createBootstrapFile()
  const pool = createPool(starter, settings, () => bootstrap.path())
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<unknown>>()

  async function run(request: RunRequest): Promise<ProcessEnd> {
    const isOff = settings().warm === 'off' || request.signal.aborted || closing.signal.aborted
    const plan = isOff ? undefined : planWarm(request)
    if (plan === undefined) return starter.run(request)
    const begun = performance.now()
    const end = await runWarm(request, plan)
    return end === 'unserved' ? starter.run(withTimeLeft(request, begun)) : end
  }

  async function runWarm(request: RunRequest, plan: Plan): Promise<ProcessEnd | 'unserved'> {
    const call = describeCall(request, plan.program, plan.script)
    if (call === undefined) return 'unserved'
    const waiting = pool.take(plan)
    if (waiting === undefined) return 'unserved'
    const promise = runWaiting(request, waiting, call, closing.signal)
    running.add(promise)
    const end = await promise
    running.delete(promise)
    pool.report(plan, end !== 'unserved')
    return end
  }

  return {
    run,
    open: (request) => starter.open(request),
    async close(graceMs) {
      closing.abort(graceMs)
      await Promise.all([...running, pool.close()])
      await starter.close(graceMs)
      bootstrap.remove()
    },
  }
}

/** The time that was lost on a process which did not take the call counts. */
function withTimeLeft(request: RunRequest, begun: number): RunRequest {
  const { timeoutMs } = request
  if (timeoutMs === 0 || timeoutMs === Number.POSITIVE_INFINITY) return request
  return { ...request, timeoutMs: Math.max(1, timeoutMs - (performance.now() - begun)) }
}
