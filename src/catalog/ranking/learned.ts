import type { Latency, ToolStatistics } from '../../model/index.ts'
import type { Known } from './order.ts'

/** What is known of one implementation, growing with each call. */
export interface Learned extends Known {
  count: number
  readonly recent: { count: number; errors: number }
  latency: Latency | null
  failuresInARow: number
  failedAt: number
  retriedAt?: number
}

/** From what was kept; undefined: nothing was. */
export function startFrom(kept: ToolStatistics | undefined): Learned {
  return {
    count: kept?.count ?? 0,
    recent: { count: kept?.recent.count ?? 0, errors: kept?.recent.errors ?? 0 },
    latency: kept?.latency ?? null,
    failuresInARow: kept?.failuresInARow ?? 0,
    // The last of several failures in a row was the last call.
    failedAt: kept !== undefined && kept.failuresInARow > 0 ? kept.lastAt : 0,
    tests: null,
  }
}

export function learnSuccess(learned: Learned, ms: number): void {
  learned.latency = learned.latency === null ? first(ms) : moved(learned.latency, ms, learned.recent.count)
  learned.count++
  learned.recent.count++
  learned.failuresInARow = 0
  learned.failedAt = 0
  delete learned.retriedAt
}

export function learnFailure(learned: Learned, now: number): void {
  learned.count++
  learned.recent.count++
  learned.recent.errors++
  learned.failuresInARow++
  learned.failedAt = now
  delete learned.retriedAt
}

function first(ms: number): Latency {
  const least = Math.max(ms, LEAST_MS)
  return { p50Ms: least, p95Ms: least, p99Ms: least }
}

const LEAST_MS = 0.001
/** How many calls the usual time remembers. */
const MEMORY = 20

/** The usual time drifts towards the new one, by its share and not by its size; the slowest is forgotten slowly. */
function moved({ p50Ms, p95Ms, p99Ms }: Latency, ms: number, calls: number): Latency {
  const share = 1 / (Math.min(calls, MEMORY) + 1)
  const usual = p50Ms * (Math.max(ms, LEAST_MS) / p50Ms) ** share
  return { p50Ms: usual, p95Ms, p99Ms: Math.max(usual, ms, p99Ms * 0.98) }
}
