import type { Evidence, Fit, PartName, ScorePart } from '../../model/index.ts'
import { type Judgement, judgeLatency, judgeStability, judgeSuccess, judgeTests } from './judgements.ts'

/** What is to be scored. */
export interface Contestant {
  readonly fit: Fit
  /** Undefined when it was never called nor tested here. */
  readonly evidence?: Evidence
  /** How much of what was asked for it has, from 0 to 1; undefined when nothing was. */
  readonly relevance?: number
  readonly capability?: Fit
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

/** A score, and what it is made of when someone wants to know. */
export interface Scored {
  readonly score: number
  readonly explain: () => ScorePart[]
}

/** score = Σ weight · value / Σ weight, over the parts that apply. */
export function scoreOf(contestant: Contestant, { now, usualMs }: Yardstick): Scored {
  const { fit, evidence, relevance, capability } = contestant
  const judged: [PartName, Judgement][] = [
    ['fit', said(fit)],
    ['success', judgeSuccess(evidence)],
    ['tests', judgeTests(evidence, now)],
    ['latency', judgeLatency(evidence, usualMs)],
    ['stability', judgeStability(evidence)],
  ]
  if (capability !== undefined) judged.unshift(['capability', said(capability)])
  if (relevance !== undefined)
    judged.unshift(['relevance', { value: relevance, words: () => relevanceWords(relevance) }])
  let whole = 0
  let sum = 0
  for (const [part, { value }] of judged) {
    whole += WEIGHTS[part]
    sum += WEIGHTS[part] * value
  }
  return {
    score: Math.min(1, sum / whole),
    explain: () =>
      judged.map(([part, { value, words }]) => ({
        part,
        value,
        weight: WEIGHTS[part] / whole,
        words: words(),
      })),
  }
}

function said({ value, words }: Fit): Judgement {
  return { value, words: () => words }
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
