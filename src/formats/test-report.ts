import type { JsonObject } from '../model/index.ts'
import type { DiffLine } from './mcpkg/diff.ts'
import type { Comparison } from './regression/compare-baseline.ts'
import type { OutputShape } from './regression/output-shape.ts'
import { regressionJson } from './regression/regression.ts'

/** What became of one test. */
export interface TestOutcome {
  /** To which it belongs. */
  readonly package: string
  readonly tool: string
  /** Of the tool. */
  readonly version: string
  readonly name: string
  /** Where it is written, from the root of its package. */
  readonly file: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Of one run; the mean of several. */
  readonly ms: number
  readonly runs: number
  readonly failedRuns: number
  /** Why it failed the first time, or why it was skipped. */
  readonly reasons: readonly string[]
  /** Milliseconds of the runs that gave a result; of several without the first. */
  readonly samples: readonly number[]
  /** What the results of all runs are made of; absent when there was none. */
  readonly output?: OutputShape
  /** What was expected of the whole beside what was found; empty where nothing is to be compared. */
  readonly diff: readonly DiffLine[]
}

/** What a run of tests found, whichever way it is written down. */
export interface TestReport {
  readonly outcomes: readonly TestOutcome[]
  /** Of all of them together, on the clock. */
  readonly ms: number
  /** What an earlier run found, beside this one; absent when there is no such run. */
  readonly baseline?: BaselineReport
}

export interface BaselineReport extends Comparison {
  readonly file: string
  /** This run was stored, and compared with nothing. */
  readonly isStored: boolean
}

export type TestCounts = Readonly<Record<TestOutcome['status'], number>>

export function countOutcomes(outcomes: readonly TestOutcome[]): TestCounts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status } of outcomes) counts[status]++
  return counts
}

/** For scripts, with keys that stay. */
export function formatReportJson({ outcomes, ms, baseline }: TestReport): string {
  const tests = outcomes.map(
    (one): JsonObject => ({
      tool: one.tool,
      name: one.name,
      file: one.file,
      status: one.status,
      ms: round(one.ms),
      runs: one.runs,
      failed_runs: one.failedRuns,
      failures: one.reasons,
    }),
  )
  const whole: JsonObject = {
    tests,
    ...countOutcomes(outcomes),
    regressions: (baseline?.regressions ?? []).map(regressionJson),
    ms: round(ms),
    ...(baseline === undefined ? {} : { baseline: baselineJson(baseline) }),
  }
  return `${JSON.stringify(whole, null, 2)}\n`
}

function baselineJson({ file, isStored, compared, notes }: BaselineReport): JsonObject {
  return {
    file,
    stored: isStored,
    compared,
    notes: notes.map(({ tool, name, message }) => ({ tool, name, message })),
  }
}

/** Whether a command that ran these tests failed. */
export function isFailed({ outcomes, baseline }: TestReport): boolean {
  return countOutcomes(outcomes).failed > 0 || (baseline?.regressions.some(({ fails }) => fails) ?? false)
}

/** The outcomes of each tool together, in the order in which the tools come. */
export function byTool(outcomes: readonly TestOutcome[]): ReadonlyMap<string, readonly TestOutcome[]> {
  const groups = new Map<string, TestOutcome[]>()
  for (const outcome of outcomes) {
    const group = groups.get(outcome.tool)
    if (group) group.push(outcome)
    else groups.set(outcome.tool, [outcome])
  }
  return groups
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
