import type { CallTool, Measurement } from '../model/index.ts'

export interface CallCounter {
  count(callTool: CallTool): CallTool
  running(): number
}

export function countCalls(): CallCounter {
  let running = 0
  return {
    running: () => running,
    count: (callTool) => async (call) => {
      running++
      try {
        return await callTool(call)
      } finally {
        running--
      }
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

/** Tells of calls once their answers are on the way: nobody waits for what is written and counted. */
export function afterwards(...tell: readonly OnCall[]): Afterwards {
  let heard: Measurement[] = []
  function flush(): void {
    const all = heard
    heard = []
    const at = Date.now()
    for (const measurement of all) for (const listener of tell) listener(measurement, at)
  }
  return {
    hear(measurement) {
      if (heard.push(measurement) === 1) setImmediate(flush)
    },
    flush,
  }
}
