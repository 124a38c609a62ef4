import type { Evidence } from '../../model/index.ts'

/** How one side of a tool is judged: from 0 to 1, and why. Words are made for what is shown, not for all. */
export interface Judgement {
  readonly value: number
  readonly words: () => string
}

/** Where nothing is known, nothing speaks for or against. */
const UNKNOWN = 0.5
const DAY_MS = 86_400_000

/** As if each tool had succeeded twice and failed twice before: few calls prove little. */
const PRIOR = 2
/** After so long, half of what the tests said is gone. */
const TESTS_HALF_LIFE_MS = 30 * DAY_MS

/** Old calls count less: `recent` is what is left of them. */
export function judgeSuccess(evidence: Evidence | undefined): Judgement {
  if (evidence === undefined || evidence.recent.count <= 0)
    return { value: UNKNOWN, words: () => (evidence?.count ? 'not called lately' : 'never called') }
  const { count, errors } = evidence.recent
  const value = (count - errors + PRIOR) / (count + 2 * PRIOR)
  return { value, words: () => `${percent(1 - errors / count)} of ${plural(evidence.count, 'call')}` }
}

export function judgeTests(evidence: Evidence | undefined, now: number): Judgement {
  const tests = evidence?.tests
  const all = tests ? tests.passed + tests.failed : 0
  if (!tests || all === 0) return { value: UNKNOWN, words: () => 'never tested' }
  const rate = (tests.passed + 1) / (all + 2)
  const left = 2 ** (-Math.max(0, now - tests.at) / TESTS_HALF_LIFE_MS)
  return {
    value: UNKNOWN + (rate - UNKNOWN) * left,
    words: () => `${tests.passed} of ${plural(all, 'test')}`,
  }
}

/** Twice as fast as usual is two thirds, twice as slow one third; faster than fast enough gains little. */
export function judgeLatency(evidence: Evidence | undefined, usualMs: number | undefined): Judgement {
  const ms = evidence?.latency?.p50Ms
  if (ms === undefined || usualMs === undefined) return { value: UNKNOWN, words: () => 'no time known' }
  return { value: usualMs / (usualMs + ms), words: () => duration(ms) }
}

/** Halved where the slowest calls take ten times as long as most, and for each failure since the last success. */
export function judgeStability(evidence: Evidence | undefined): Judgement {
  const latency = evidence?.latency
  const failures = evidence?.failuresInARow ?? 0
  if (!latency && failures === 0) return { value: UNKNOWN, words: () => 'no spread known' }
  const spread = latency ? Math.max(1, latency.p99Ms / latency.p50Ms) : 1
  const steady = latency ? 1 / (1 + Math.log10(spread)) : UNKNOWN
  const value = steady / 2 ** Math.min(failures, 50)
  if (failures === 1) return { value, words: () => 'failed last time' }
  if (failures > 1) return { value, words: () => `${failures} failures in a row` }
  return { value, words: () => (spread < 2 ? 'steady' : `at times ${Math.round(spread)}× slower`) }
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
