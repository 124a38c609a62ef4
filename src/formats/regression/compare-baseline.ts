import type { TestOutcome } from '../test-report.ts'
import type { Baseline, BaselineLatency, BaselineTest } from './baseline-file.ts'
import { ENOUGH_RUNS, latencyShift } from './latency-shift.ts'
import { shapeWords } from './output-shape.ts'
import { type Regression, slowerWords } from './regression.ts'
import { compareShapes, shapeChangeWords } from './shape-changes.ts'

/** What a run is, beside what became of its tests. */
export interface RunFacts {
  readonly host: string
  readonly atOnce: number
  /** Packages all of whose tests were run: what is missing there is gone. */
  readonly whole: readonly string[]
  /** Slower is a failure, too. */
  readonly isStrict: boolean
}

export interface Comparison {
  readonly regressions: readonly Regression[]
  /** What is worth knowing and nothing worse, by test. */
  readonly notes: readonly ComparisonNote[]
  /** Tests that the baseline knows. */
  readonly compared: number
}

export interface ComparisonNote {
  readonly tool: string
  readonly name: string
  readonly message: string
}

/** What was better when the baseline was stored. */
export function compareWithBaseline(
  outcomes: readonly TestOutcome[],
  baseline: Baseline,
  facts: RunFacts,
): Comparison {
  const regressions: Regression[] = []
  const notes: ComparisonNote[] = []
  let compared = 0
  for (const outcome of outcomes) {
    const before = findTest(baseline, outcome)
    if (before === undefined) continue
    compared++
    const { tool, name } = outcome
    for (const one of compareTest(before, outcome, facts)) {
      if (typeof one === 'string') notes.push({ tool, name, message: one })
      else regressions.push(one)
    }
  }
  return { regressions, notes: [...notes, ...missing(outcomes, baseline, facts)], compared }
}

/** What is worse about one test, or only worth a note. */
export function compareTest(
  before: BaselineTest,
  outcome: TestOutcome,
  facts: Omit<RunFacts, 'whole'>,
): (Regression | string)[] {
  const found = [failing(before, outcome), shape(before, outcome), latency(before, outcome, facts)]
  return found.filter((one) => one !== undefined)
}

/**
 * Two tests of a tool may have the same name; then the file tells them apart. Of a package that is not served nobody
 * knows which tool a test is about, but it is still the test in that file.
 */
function findTest({ tests }: Baseline, outcome: TestOutcome): BaselineTest | undefined {
  const { tool, name, file } = outcome
  const own = tests.find(
    (test) => test.package === outcome.package && test.name === name && test.file === file,
  )
  if (own !== undefined) return own
  const named = tests.filter((test) => test.tool === tool && test.name === name)
  return named.length === 1 ? named[0] : undefined
}

function failing(before: BaselineTest, outcome: TestOutcome): Regression | string | undefined {
  if (before.status !== 'passed' || outcome.status === 'passed') return undefined
  if (outcome.status === 'skipped') return `passed before, is skipped now: ${outcome.reasons[0] ?? ''}`
  return {
    ...baseOf(before, outcome),
    kind: 'failing',
    before: 'passed',
    now: 'failed',
    reasons: outcome.reasons,
    fails: true,
  }
}

function shape(before: BaselineTest, outcome: TestOutcome): Regression | string | undefined {
  if (before.output === undefined || outcome.output === undefined) return undefined
  const changes = compareShapes(before.output, outcome.output)
  if (changes.length === 0) return undefined
  if (!changes.some(({ breaking }) => breaking)) return changes.map(shapeChangeWords).join('; ')
  return {
    ...baseOf(before, outcome),
    kind: 'shape',
    before: shapeWords(before.output),
    now: shapeWords(outcome.output),
    changes,
    fails: true,
  }
}

function latency(
  { latency: old, ...before }: BaselineTest,
  outcome: TestOutcome,
  facts: Omit<RunFacts, 'whole'>,
): Regression | string | undefined {
  // What fails stops early or late; its time says nothing.
  if (before.status !== 'passed' || outcome.status !== 'passed') return undefined
  const obstacle = incomparable(old, facts)
  if (obstacle !== undefined) return `time is not compared: ${obstacle}`
  const shift = latencyShift(old.samplesMs, outcome.samples)
  switch (shift.kind) {
    case 'unknown':
      return `time is not compared: not enough runs; it takes \`--repeat ${ENOUGH_RUNS}\` or more, for the baseline too`
    case 'same':
      return undefined
    case 'faster':
      return slowerWords(shift.numbers)
    case 'slower': {
      const { numbers } = shift
      const { beforeMs, nowMs } = numbers
      const base = { ...baseOf({ ...before, latency: old }, outcome), fails: facts.isStrict }
      return { ...base, kind: 'latency', before: round(beforeMs), now: round(nowMs), numbers }
    }
  }
}

/** With more at once everything takes longer; with fewer, what is slower is slower indeed. */
function incomparable(
  old: BaselineLatency,
  { host, atOnce }: Pick<RunFacts, 'host' | 'atOnce'>,
): string | undefined {
  if (old.host !== host) return 'the baseline was measured on another machine'
  if (old.atOnce >= atOnce) return undefined
  return `${old.atOnce} ran at once for the baseline, ${atOnce} now (\`--jobs ${old.atOnce}\`)`
}

function missing(
  outcomes: readonly TestOutcome[],
  baseline: Baseline,
  { whole }: RunFacts,
): ComparisonNote[] {
  const there = new Set(outcomes.map((outcome) => findTest(baseline, outcome)))
  return baseline.tests
    .filter((test) => whole.includes(test.package) && !there.has(test))
    .map(({ tool, name }) => ({ tool, name, message: 'is in the baseline and not among the tests any more' }))
}

function baseOf({ version }: BaselineTest, { tool, name, version: nowVersion }: TestOutcome) {
  return { tool, name, beforeVersion: version, nowVersion }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
