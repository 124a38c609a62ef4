import type { LogFields, Measurement } from '../model/index.ts'

/** What the record of a call says, and in which order. What is undefined is not written. */
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
