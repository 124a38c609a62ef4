import type { Evidence, Fit, PartName, Score, ScorePart } from '../../model/index.ts'
import { type Judgement, judgeLatency, judgeStability, judgeSuccess, judgeTests } from './judgements.ts'

/** What is to be scored. */
export interface Contestant {
  readonly fit: Fit
  /** Undefined when it was never called nor tested here. */
  readonly evidence?: Evidence
  /** How much of what was asked for it has, from 0 to 1; undefined when nothing was. */
  readonly relevance?: number
  readonly capability?: Judgement
}

/** What a score is measured against. */
export interface Yardstick {
  readonly now: number
  /** What half of those that are compared do not exceed; undefined when none of them was ever called. */
  readonly usualMs?: number
}

/** How much the parts count beside each other. Those that do not apply are left out. */
const WEIGHTS: Readonly<Record<PartName, number>> = {
  relevance: 6,
  capability: 3,
  fit: 5,
  success: 4,
  tests: 2,
  latency: 2,
  stability: 1,
}

/** score = Σ weight · value / Σ weight, over the parts that apply. */
export function scoreOf(contestant: Contestant, { now, usualMs }: Yardstick): Score {
  const { fit, evidence, relevance, capability } = contestant
  const judged: [PartName, Judgement][] = [
    ['fit', fit],
    ['success', judgeSuccess(evidence)],
    ['tests', judgeTests(evidence, now)],
    ['latency', judgeLatency(evidence, usualMs)],
    ['stability', judgeStability(evidence)],
  ]
  if (capability !== undefined) judged.unshift(['capability', capability])
  if (relevance !== undefined)
    judged.unshift(['relevance', { value: relevance, words: relevanceWords(relevance) }])
  const whole = judged.reduce((sum, [part]) => sum + WEIGHTS[part], 0)
  const parts = judged.map(
    ([part, { value, words }]): ScorePart => ({ part, value, weight: WEIGHTS[part] / whole, words }),
  )
  const score = parts.reduce((sum, { value, weight }) => sum + value * weight, 0)
  return { score: Math.min(1, score), parts }
}

/** The median of what those that are compared take. */
export function usualMsOf(all: readonly (Evidence | undefined)[]): number | undefined {
  const known = all.flatMap((evidence) => evidence?.latency?.p50Ms ?? []).sort((a, b) => a - b)
  const middle = known.length >> 1
  const upper = known[middle]
  if (upper === undefined) return undefined
  return known.length % 2 === 1 ? upper : (upper + (known[middle - 1] ?? upper)) / 2
}

function relevanceWords(relevance: number): string {
  if (relevance >= 0.75) return 'close match'
  return relevance >= 0.4 ? 'match' : 'loose match'
}
