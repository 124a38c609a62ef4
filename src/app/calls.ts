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

/** `at`: when it ended, in milliseconds since 1970. */
export type OnCall = (measurement: Measurement, at: number) => void

export interface Afterwards {
  readonly hear: (measurement: Measurement) => void
  /** Tells what has not been told yet. */
  readonly flush: () => void
}

/** So long a call is not told of, and so many at most. */
const LATER_MS = 10
const MOST_HEARD = 256

/**
 * Tells of calls once their answers are on the way: nobody waits for what is written and counted. Many are told of
 * together, which takes less than half as long for each.
 */
export function afterwards(...tell: readonly OnCall[]): Afterwards {
  let heard: Measurement[] = []
  let times: number[] = []
  let isAwaited = false

  function flush(): void {
    isAwaited = false
    const all = heard
    const ended = times
    heard = []
    times = []
    all.forEach((measurement, index) => {
      for (const listener of tell) listener(measurement, ended[index] ?? 0)
    })
  }
  return {
    hear(measurement) {
      times.push(Date.now())
      const waiting = heard.push(measurement)
      if (waiting >= MOST_HEARD) setImmediate(flush)
      if (isAwaited) return
      isAwaited = true
      setTimeout(flush, LATER_MS)
    },
    flush,
  }
}
