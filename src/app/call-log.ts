import type { LogFields, Measurement } from '../model/index.ts'
import { isLogged, type LineBuffer, type LogSettings, type LogSink, recordLine } from '../platform/index.ts'
import { writeCallLine } from './call-line.ts'

/** More are not kept waiting, however many end within one turn. */
const MOST_WAITING = 256

/**
 * One record for each call, the same fields every time. A call leaves what was measured and the time; the lines are
 * made when the log is written, many at once.
 */
export function createCallLog(
  sink: Pick<LogSink, 'write' | 'later' | 'colours'>,
  settings: () => LogSettings,
): (measurement: Measurement, at: number) => void {
  let calls: Measurement[] = []
  let times: number[] = []

  function writeAll(lines: LineBuffer): void {
    const { format } = settings()
    const ended = calls
    const endedAt = times
    calls = []
    times = []
    ended.forEach((call, index) => {
      const at = endedAt[index] ?? 0
      if (format === 'json') writeCallLine(lines, call, at)
      else lines.text(`${prettyLine(call, at)}\n`)
    })
  }

  function prettyLine(call: Measurement, at: number): string {
    return recordLine('pretty', new Date(at), levelOf(call), 'call', callFields(call), sink.colours)
  }

  return (measurement, at) => {
    if (!isLogged(levelOf(measurement), settings().level)) return
    times.push(at)
    const waiting = calls.push(measurement)
    if (waiting === 1) sink.later(writeAll)
    else if (waiting === MOST_WAITING) sink.write('')
  }
}

function levelOf({ success }: Measurement): 'info' | 'warn' {
  return success ? 'info' : 'warn'
}

/** What is undefined is not written. */
export function callFields(measurement: Measurement): LogFields {
  const { success, usage, caller } = measurement
  return {
    tool: measurement.tool,
    version: measurement.version,
    duration_ms: round(measurement.ms),
    queued_ms: round(measurement.queuedMs),
    success,
    reason: measurement.reason ?? null,
    implementation: measurement.implementation,
    passed_over: measurement.passedOver,
    exit_code: measurement.exitCode,
    bytes_in: measurement.bytesIn,
    bytes_out: measurement.bytesOut,
    cpu_ms: usage && round(usage.cpuMs),
    max_rss: usage?.maxRssBytes,
    ...measurement.confinement,
    request_id: caller.requestId,
    transport: caller.transport,
    era: caller.era,
    principal: caller.principal,
    error: success ? undefined : measurement.message,
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
