import type { Evidence } from '../../model/index.ts'

/** What a score is measured against. */
export interface Yardstick {
  readonly now: number
  /** What half of those that are compared do not exceed; undefined when none of them was ever called. */
  readonly usualMs?: number
}

/** How one side of a tool is judged: from 0 to 1, and why. Words are made for what is shown, not for all. */
export interface Judge {
  readonly value: (evidence: Evidence | undefined, yardstick: Yardstick) => number
  readonly words: (evidence: Evidence | undefined, yardstick: Yardstick) => string
}

/** Where nothing is known, nothing speaks for or against. */
const UNKNOWN = 0.5
const DAY_MS = 86_400_000

/** As if each tool had succeeded twice and failed twice before: few calls prove little. */
const PRIOR = 2
/** After so long, half of what the tests said is gone. */
const TESTS_HALF_LIFE_MS = 30 * DAY_MS

/** Old calls count less: `recent` is what is left of them. */
export const success: Judge = {
  value(evidence) {
    if (evidence === undefined || evidence.recent.count <= 0) return UNKNOWN
    const { count, errors } = evidence.recent
    return (count - errors + PRIOR) / (count + 2 * PRIOR)
  },
  words(evidence) {
    if (evidence === undefined || evidence.recent.count <= 0)
      return evidence?.count ? 'not called lately' : 'never called'
    const { count, errors } = evidence.recent
    return `${percent(1 - errors / count)} of ${plural(evidence.count, 'call')}`
  },
}

export const tests: Judge = {
  value(evidence, { now }) {
    const known = evidence?.tests
    const all = known ? known.passed + known.failed : 0
    if (!known || all === 0) return UNKNOWN
    const rate = (known.passed + 1) / (all + 2)
    const left = 2 ** (-Math.max(0, now - known.at) / TESTS_HALF_LIFE_MS)
    return UNKNOWN + (rate - UNKNOWN) * left
  },
  words(evidence) {
    const known = evidence?.tests
    const all = known ? known.passed + known.failed : 0
    return !known || all === 0 ? 'never tested' : `${known.passed} of ${plural(all, 'test')}`
  },
}

/** Twice as fast as usual is two thirds, twice as slow one third; faster than fast enough gains little. */
export const latency: Judge = {
  value(evidence, { usualMs }) {
    const ms = evidence?.latency?.p50Ms
    return ms === undefined || usualMs === undefined ? UNKNOWN : usualMs / (usualMs + ms)
  },
  words(evidence, { usualMs }) {
    const ms = evidence?.latency?.p50Ms
    return ms === undefined || usualMs === undefined ? 'no time known' : duration(ms)
  },
}

/** Halved where the slowest calls take ten times as long as most, and for each failure since the last success. */
export const stability: Judge = {
  value(evidence) {
    const failures = evidence?.failuresInARow ?? 0
    if (!evidence?.latency && failures === 0) return UNKNOWN
    const steady = evidence?.latency ? 1 / (1 + Math.log10(spreadOf(evidence))) : UNKNOWN
    return steady / 2 ** Math.min(failures, 50)
  },
  words(evidence) {
    const failures = evidence?.failuresInARow ?? 0
    if (!evidence?.latency && failures === 0) return 'no spread known'
    if (failures === 1) return 'failed last time'
    if (failures > 1) return `${failures} failures in a row`
    const spread = spreadOf(evidence)
    return spread < 2 ? 'steady' : `at times ${Math.round(spread)}× slower`
  },
}

/** How many times as long as most calls the slowest take. */
function spreadOf(evidence: Evidence | undefined): number {
  return evidence?.latency ? Math.max(1, evidence.latency.p99Ms / evidence.latency.p50Ms) : 1
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(share > 0.99 && share < 1 ? 2 : 0))}%`
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

/** Two digits are as many as people compare. */
function duration(ms: number): string {
  const [value, unit] = ms < 1 ? [1_000 * ms, 'µs'] : ms < 1_000 ? [ms, 'ms'] : [ms / 1_000, 's']
  return `${Number(value.toPrecision(2))} ${unit}`
}
