import type { CallTool, Log, Measurement } from '../model/index.ts'

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

type OnCall = (measurement: Measurement) => void

export interface Afterwards {
  readonly hear: OnCall
  /** Tells what has not been told yet. */
  readonly flush: () => void
}

/** Tells of calls once their answers are on the way: nobody waits for what is written and counted. */
export function afterwards(...tell: readonly OnCall[]): Afterwards {
  let heard: Measurement[] = []
  function flush(): void {
    const all = heard
    heard = []
    for (const measurement of all) for (const listener of tell) listener(measurement)
  }
  return {
    hear(measurement) {
      if (heard.push(measurement) === 1) setImmediate(flush)
    },
    flush,
  }
}

/** One record for each call, the same fields every time. */
export function logCall(log: Log): OnCall {
  return ({
    implementation,
    passedOver,
    usage,
    confinement,
    tool,
    version,
    ms,
    queuedMs,
    success,
    reason,
    message,
    exitCode,
    bytesIn,
    bytesOut,
    caller,
  }) => {
    // What is undefined is not written. One shape for all: a record is made for every call.
    const fields = {
      tool,
      version,
      duration_ms: round(ms),
      queued_ms: round(queuedMs),
      success,
      reason: reason ?? null,
      implementation,
      passed_over: passedOver,
      exit_code: exitCode,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
      cpu_ms: usage && round(usage.cpuMs),
      max_rss: usage?.maxRssBytes,
      ...confinement,
      request_id: caller.requestId,
      transport: caller.transport,
      era: caller.era,
      ...(caller.principal === undefined ? {} : { principal: caller.principal }),
      error: success ? undefined : message,
    }
    if (success) log.info('call', fields)
    else log.warn('call', fields)
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
