import type { CallTool, Measurement } from '../model/index.ts'
import { type EndedCalls, gatherCalls } from './ended-calls.ts'

export interface CallCounter {
  count(callTool: CallTool): CallTool
  running(): number
}

export function countCalls(): CallCounter {
  let running = 0
  const over = () => {
    running--
  }
  return {
    running: () => running,
    count: (callTool) => (call) => {
      running++
      const result = callTool(call)
      result.then(over, over)
      return result
    },
  }
}

/** Several at a time, in the order in which they ended. Who is told keeps nothing of it. */
export type OnCalls = (calls: EndedCalls) => void

export interface Afterwards {
  readonly hear: (measurement: Measurement) => void
  /** Tells what has not been told yet. */
  readonly flush: () => void
}

/** So long a call is not told of, or until there are so many. */
const LATER_MS = 10
const MOST_HEARD = 512

/**
 * Tells of calls once their answers are on the way: nobody waits for what is written and counted. Many are told of
 * together: what tells of them is out of the processor's caches each time it begins.
 */
export function afterwards(tell: OnCalls, report: (error: unknown) => void): Afterwards {
  const calls = gatherCalls(MOST_HEARD)
  let timer: NodeJS.Timeout | undefined
  let isTelling = false

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (calls.count() === 0 || isTelling) return
    isTelling = true
    const problems = tellAll()
    isTelling = false
    for (const problem of problems) report(problem)
  }

  function tellAll(): readonly unknown[] {
    try {
      tell(calls)
      return calls.clear()
    } catch (error) {
      return [...calls.clear(), error]
    }
  }

  return {
    hear(measurement) {
      calls.add(measurement, Date.now())
      timer ??= setTimeout(flush, LATER_MS)
      if (calls.count() === MOST_HEARD) setImmediate(flush)
    },
    flush,
  }
}
