import type { ToolStatistics } from './statistics.ts'

/** What a score is made of, in the order people read it. */
export type PartName = 'relevance' | 'capability' | 'fit' | 'success' | 'tests' | 'latency' | 'stability'

/** One part of a score: `weight` times `value` is what it adds. */
export interface ScorePart {
  readonly part: PartName
  /** From 0 to 1; 0.5 where nothing is known. */
  readonly value: number
  /** The weights of a score add up to 1. */
  readonly weight: number
  /** Why, for people. */
  readonly words: string
}

/** From 0 to 1, with all that it came from. */
export interface Score {
  readonly score: number
  readonly parts: readonly ScorePart[]
}

/** What is known from calls and tests, as far as it counts for a score. */
export type Evidence = Pick<ToolStatistics, 'count' | 'recent' | 'latency' | 'failuresInARow' | 'tests'>

/** How well something runs on this machine, or does what is asked for. */
export interface Fit {
  readonly value: number
  readonly words: string
}
