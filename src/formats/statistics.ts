import { blamesTool, type JsonObject, type Latency, type ToolStatistics } from '../model/index.ts'

/** For scripts, with keys that stay. */
export function statisticsJson(one: ToolStatistics): JsonObject {
  return {
    tool: one.tool,
    version: one.version,
    implementation: one.implementation,
    ...measuresJson(one),
  }
}

/** The same without saying of what. */
export function measuresJson(one: ToolStatistics): JsonObject {
  const { tests } = one
  return {
    count: one.count,
    errors: one.errors,
    success_rate: successRate(one),
    ...latencyJson(one.latency),
    bytes_in: one.bytesIn,
    bytes_out: one.bytesOut,
    first_at: timeOf(one.firstAt),
    last_at: timeOf(one.lastAt),
    failures_in_a_row: one.failuresInARow,
    tests: tests && {
      passed: tests.passed,
      failed: tests.failed,
      at: timeOf(tests.at),
      ...latencyJson(tests.latency),
    },
  }
}

/** Of the calls that tell about the tool; null when there were none. */
export function successRate({ count, errors }: ToolStatistics): number | null {
  let failed = 0
  let judged = count
  for (const [reason, times] of Object.entries(errors)) {
    if (blamesTool(reason)) failed += times
    else judged -= times
  }
  return judged === 0 ? null : round((judged - failed) / judged, 4)
}

function latencyJson(latency: Latency | null): JsonObject {
  return {
    p50_ms: latency && round(latency.p50Ms, 3),
    p95_ms: latency && round(latency.p95Ms, 3),
    p99_ms: latency && round(latency.p99Ms, 3),
  }
}

function timeOf(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString()
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
