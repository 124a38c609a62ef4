import type { Latency } from '../../model/index.ts'

/**
 * How many values fell into which bucket. A bucket reaches from one power of GROWTH to the next, so what is read
 * from it is wrong by at most one part in a hundred, and two sketches are merged by adding, in any order.
 */
export type Sketch = Map<number, number>

/** What a quantile may be wrong by, as a share of it. */
const RELATIVE_ERROR = 0.01
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const LOG_GROWTH = Math.log(GROWTH)
/** A microsecond and about eleven days: everything else is counted as one of them. */
const LEAST_MS = 0.001
const MOST_MS = 1e9

export function bucketOf(ms: number): number {
  // Not a number counts as nothing, which no comparison with it would give.
  const within = ms > LEAST_MS ? Math.min(ms, MOST_MS) : LEAST_MS
  return Math.ceil(Math.log(within) / LOG_GROWTH)
}

export function isBucket(bucket: unknown): bucket is number {
  return (
    Number.isInteger(bucket) && Number(bucket) >= bucketOf(LEAST_MS) && Number(bucket) <= bucketOf(MOST_MS)
  )
}

export function addTo(sketch: Sketch, bucket: number, count = 1): void {
  sketch.set(bucket, (sketch.get(bucket) ?? 0) + count)
}

export function mergeInto(sketch: Sketch, other: Sketch): void {
  for (const [bucket, count] of other) addTo(sketch, bucket, count)
}

/** The least value that at least this share of all values, from 0 to 1, does not exceed. Undefined of nothing. */
export function quantile(sketch: Sketch, share: number): number | undefined {
  const buckets = [...sketch].sort(([a], [b]) => a - b)
  const total = buckets.reduce((sum, [, count]) => sum + count, 0)
  if (total === 0) return undefined
  const rank = Math.max(1, Math.ceil(share * total))
  let seen = 0
  for (const [bucket, count] of buckets) {
    seen += count
    if (seen >= rank) return middleOf(bucket)
  }
  return middleOf(buckets.at(-1)?.[0] ?? 0)
}

export function latencyOf(sketch: Sketch): Latency | null {
  const p50Ms = quantile(sketch, 0.5)
  const p95Ms = quantile(sketch, 0.95)
  const p99Ms = quantile(sketch, 0.99)
  return p50Ms === undefined || p95Ms === undefined || p99Ms === undefined ? null : { p50Ms, p95Ms, p99Ms }
}

/** As near to both ends of the bucket, by their own measure. */
export function middleOf(bucket: number): number {
  return (2 * GROWTH ** bucket) / (GROWTH + 1)
}
