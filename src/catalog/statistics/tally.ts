import { blamesTool } from '../../model/index.ts'
import { addTo, bucketOf, mergeInto, type Sketch } from './sketch.ts'

/** What calls in one stretch of time came to. */
export interface Tally {
  count: number
  readonly errors: Map<string, number>
  /** Of calls that succeeded. */
  readonly latency: Sketch
  bytesIn: number
  bytesOut: number
  firstAt: number
  lastAt: number
  /** The newest success and failure of the tool; 0 when there was none. */
  successAt: number
  failureAt: number
  /** Failures since the last success. */
  failuresInARow: number
}

/** As much of a call as is counted. */
export interface CountedCall {
  readonly ms: number
  readonly reason?: string
  readonly bytesIn: number
  readonly bytesOut: number
}

export function emptyTally(): Tally {
  return {
    count: 0,
    errors: new Map(),
    latency: new Map(),
    bytesIn: 0,
    bytesOut: 0,
    firstAt: 0,
    lastAt: 0,
    successAt: 0,
    failureAt: 0,
    failuresInARow: 0,
  }
}

export function countCall(tally: Tally, { ms, reason, bytesIn, bytesOut }: CountedCall, at: number): void {
  if (tally.count++ === 0) tally.firstAt = at
  tally.lastAt = at
  tally.bytesIn += bytesIn
  tally.bytesOut += bytesOut
  if (reason === undefined) {
    addTo(tally.latency, bucketOf(ms))
    tally.successAt = at
    tally.failuresInARow = 0
    return
  }
  tally.errors.set(reason, (tally.errors.get(reason) ?? 0) + 1)
  if (!blamesTool(reason)) return
  tally.failureAt = at
  tally.failuresInARow++
}

/** All numbers add up in any order; only failures in a row of processes that ran at once are told to a batch. */
export function mergeTally(into: Tally, other: Tally): void {
  if (other.count === 0) return
  const isFirst = into.count === 0
  into.firstAt = isFirst ? other.firstAt : Math.min(into.firstAt, other.firstAt)
  into.lastAt = Math.max(into.lastAt, other.lastAt)
  into.count += other.count
  into.bytesIn += other.bytesIn
  into.bytesOut += other.bytesOut
  for (const [reason, count] of other.errors) into.errors.set(reason, (into.errors.get(reason) ?? 0) + count)
  mergeInto(into.latency, other.latency)
  const successAt = Math.max(into.successAt, other.successAt)
  into.failuresInARow = rowSince(into, successAt) + rowSince(other, successAt)
  into.successAt = successAt
  into.failureAt = Math.max(into.failureAt, other.failureAt)
}

function rowSince({ failureAt, failuresInARow }: Tally, successAt: number): number {
  return failureAt >= successAt ? failuresInARow : 0
}

/** Calls that tell about the tool itself, and those of them that failed. */
export function verdictsOf({ count, errors }: Tally): { readonly count: number; readonly errors: number } {
  let failed = 0
  let others = 0
  for (const [reason, times] of errors) {
    if (blamesTool(reason)) failed += times
    else others += times
  }
  return { count: count - others, errors: failed }
}
