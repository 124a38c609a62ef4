import type { Evidence, Fit, PartName, ScorePart } from '../../model/index.ts'
import { type Judge, latency, stability, success, tests, type Yardstick } from './judgements.ts'

/** What is to be scored. */
export interface Contestant {
  readonly fit: Fit
  /** Undefined when it was never called nor tested here. */
  readonly evidence?: Evidence
  /** How much of what was asked for it has, from 0 to 1; undefined when nothing was. */
  readonly relevance?: number
  readonly capability?: Fit
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

/** What is known from calls and tests; the others are said beforehand. */
const JUDGES = { success, tests, latency, stability } satisfies Partial<Record<PartName, Judge>>

/** score = Σ weight · value / Σ weight, over the parts that apply, in the order of what explains it. */
export function scoreOf(contestant: Contestant, yardstick: Yardstick): number {
  const { fit, evidence, relevance, capability } = contestant
  let sum = 0
  if (relevance !== undefined) sum += WEIGHTS.relevance * relevance
  if (capability !== undefined) sum += WEIGHTS.capability * capability.value
  sum += WEIGHTS.fit * fit.value
  sum += WEIGHTS.success * success.value(evidence, yardstick)
  sum += WEIGHTS.tests * tests.value(evidence, yardstick)
  sum += WEIGHTS.latency * latency.value(evidence, yardstick)
  sum += WEIGHTS.stability * stability.value(evidence, yardstick)
  return Math.min(1, sum / wholeOf(contestant))
}

/** What the score is made of, when someone wants to know. */
export function explainScore(contestant: Contestant, yardstick: Yardstick): ScorePart[] {
  const { fit, evidence, relevance, capability } = contestant
  const whole = wholeOf(contestant)
  const part = (name: PartName, value: number, words: string): ScorePart => ({
    part: name,
    value,
    weight: WEIGHTS[name] / whole,
    words,
  })
  const judged = (name: keyof typeof JUDGES) =>
    part(name, JUDGES[name].value(evidence, yardstick), JUDGES[name].words(evidence, yardstick))
  return [
    ...(relevance === undefined ? [] : [part('relevance', relevance, relevanceWords(relevance))]),
    ...(capability === undefined ? [] : [part('capability', capability.value, capability.words)]),
    part('fit', fit.value, fit.words),
    judged('success'),
    judged('tests'),
    judged('latency'),
    judged('stability'),
  ]
}

/** What the parts that apply weigh together. */
function wholeOf({ relevance, capability }: Contestant): number {
  const always = WEIGHTS.fit + WEIGHTS.success + WEIGHTS.tests + WEIGHTS.latency + WEIGHTS.stability
  const asked = relevance === undefined ? 0 : WEIGHTS.relevance
  return always + asked + (capability === undefined ? 0 : WEIGHTS.capability)
}

/** The median of what those that are compared take. */
export function usualMsOf(all: readonly (Evidence | undefined)[]): number | undefined {
  const known = Float64Array.from(all.flatMap((evidence) => evidence?.latency?.p50Ms ?? [])).sort()
  const middle = known.length >> 1
  const upper = known[middle]
  if (upper === undefined) return undefined
  return known.length % 2 === 1 ? upper : (upper + (known[middle - 1] ?? upper)) / 2
}

function relevanceWords(relevance: number): string {
  if (relevance >= 0.75) return 'close match'
  return relevance >= 0.4 ? 'match' : 'loose match'
}
