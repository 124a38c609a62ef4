import type { CallTool, Log, Measurement } from '../model/index.ts'

export interface CallCounter {
  count(callTool: CallTool): CallTool
  running(): number
  /** Resolves when no call runs any more, when `graceMs` are over, or when `hurried` resolves. */
  idle(graceMs: number, hurried: Promise<void>): Promise<void>
}

export function countCalls(): CallCounter {
  let running = 0
  let onIdle: () => void = () => {}
  return {
    running: () => running,
    count: (callTool) => async (call) => {
      running++
      try {
        return await callTool(call)
      } finally {
        running--
        if (running === 0) onIdle()
      }
    },
    async idle(graceMs, hurried) {
      if (running === 0) return
      let timer: NodeJS.Timeout | undefined
      const over = new Promise<void>((resolve) => {
        onIdle = resolve
        timer = setTimeout(resolve, graceMs)
      })
      await Promise.race([over, hurried])
      clearTimeout(timer)
    },
  }
}

/** One record for each call, the same fields every time. */
export function logCall(log: Log): (measurement: Measurement) => void {
  return ({ tool, version, ms, queuedMs, success, reason, message, exitCode, bytesIn, bytesOut, caller }) => {
    const fields = {
      tool,
      version,
      duration_ms: round(ms),
      queued_ms: round(queuedMs),
      success,
      reason: reason ?? null,
      exit_code: exitCode,
      bytes_in: bytesIn,
      bytes_out: bytesOut,
      request_id: caller.requestId,
      transport: caller.transport,
      era: caller.era,
    }
    if (success) log.info('call', fields)
    else log.warn('call', { ...fields, error: message })
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
