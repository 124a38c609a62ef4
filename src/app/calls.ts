import type { CallTool, Measurement } from '../model/index.ts'

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

export interface EndedCall {
  readonly measurement: Measurement
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
}

/** Several at a time, in the order in which they ended. */
export type OnCalls = (calls: readonly EndedCall[]) => void

export interface Afterwards {
  readonly hear: (measurement: Measurement) => void
  /** Tells what has not been told yet. */
  readonly flush: () => void
}

/** So long a call is not told of, or until there are so many. */
const LATER_MS = 10
const MOST_HEARD = 64

/**
 * Tells of calls once their answers are on the way: nobody waits for what is written and counted. Several are told of
 * together, which takes less than half as long for each as doing so whenever one ends.
 */
export function afterwards(tell: OnCalls): Afterwards {
  let heard: EndedCall[] = []
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    const all = heard
    heard = []
    if (all.length > 0) tell(all)
  }
  return {
    hear(measurement) {
      const waiting = heard.push({ measurement, at: Date.now() })
      timer ??= setTimeout(flush, LATER_MS)
      if (waiting === MOST_HEARD) setImmediate(flush)
    },
    flush,
  }
}
