import { leastChance, rankTest } from './rank-test.ts'

/** What can be said about the time that something took before and takes now. */
export type LatencyShift =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'same' | 'slower' | 'faster'; readonly numbers: ShiftNumbers }

export interface ShiftNumbers {
  /** Medians. */
  readonly beforeMs: number
  readonly nowMs: number
  readonly ratio: number
  /** How likely chance alone makes them differ this much. */
  readonly chance: number
  readonly runs: { readonly before: number; readonly now: number }
}

/** So unlikely must it be that chance made the difference. */
const SIGNIFICANCE = 0.01
/** So large must it be to matter, and so many milliseconds. */
const LEAST_RATIO = 1.3
const LEAST_MS = 1

/** With this many runs on either side a shift can be shown; the first of them is not counted. */
export const ENOUGH_RUNS = 6

/** By all samples of both sides: neither a single slow run nor a fixed threshold decides. */
export function latencyShift(before: readonly number[], now: readonly number[]): LatencyShift {
  if (leastChance(before.length, now.length) > SIGNIFICANCE) return { kind: 'unknown' }
  const [beforeMs, nowMs] = [median(before), median(now)]
  const chance = rankTest(before, now)
  const numbers: ShiftNumbers = {
    beforeMs,
    nowMs,
    ratio: beforeMs > 0 ? nowMs / beforeMs : 1,
    chance,
    runs: { before: before.length, now: now.length },
  }
  const [low, high] = beforeMs < nowMs ? [beforeMs, nowMs] : [nowMs, beforeMs]
  const isLarge = high >= low * LEAST_RATIO && high - low >= LEAST_MS
  if (chance > SIGNIFICANCE || !isLarge) return { kind: 'same', numbers }
  return { kind: nowMs > beforeMs ? 'slower' : 'faster', numbers }
}

/** 0 for nothing. */
export function median(samples: readonly number[]): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
