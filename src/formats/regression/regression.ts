import type { JsonObject } from '../../model/index.ts'
import type { ShiftNumbers } from './latency-shift.ts'
import { type ShapeChange, shapeChangeWords } from './shape-changes.ts'

/** Something that was better before. */
export type Regression = RegressionBase &
  (
    | {
        readonly kind: 'failing'
        readonly before: 'passed'
        readonly now: 'failed'
        readonly reasons: readonly string[]
      }
    | {
        readonly kind: 'shape'
        /** The types of the output, as a person would write them. */
        readonly before: string
        readonly now: string
        readonly changes: readonly ShapeChange[]
      }
    | {
        readonly kind: 'latency'
        /** Medians in milliseconds. */
        readonly before: number
        readonly now: number
        readonly numbers: ShiftNumbers
      }
  )

interface RegressionBase {
  readonly tool: string
  /** Of the test. */
  readonly name: string
  readonly beforeVersion: string
  readonly nowVersion: string
  /** Whether a command that finds it fails; otherwise it is a warning. */
  readonly fails: boolean
}

/** For scripts, with keys that stay. */
export function regressionJson(regression: Regression): JsonObject {
  const { tool, name, kind, before, now, fails, beforeVersion, nowVersion } = regression
  const base = {
    tool,
    name,
    kind,
    before,
    now,
    fails,
    before_version: beforeVersion,
    now_version: nowVersion,
  }
  switch (regression.kind) {
    case 'failing':
      return { ...base, failures: regression.reasons }
    case 'shape':
      return { ...base, changes: regression.changes.map(shapeChangeJson) }
    case 'latency':
      return { ...base, ...numbersJson(regression.numbers) }
  }
}

export function shapeChangeJson({ path, change, before, now, breaking }: ShapeChange): JsonObject {
  return { path, change, before, now, breaking }
}

export function numbersJson({ ratio, chance, runs }: ShiftNumbers): JsonObject {
  return {
    ratio: Math.round(ratio * 100) / 100,
    p_value: Number(chance.toPrecision(3)),
    before_runs: runs.before,
    now_runs: runs.now,
  }
}

/** What happened, in a line; what it is about is said by whoever shows it. */
export function regressionWords(regression: Regression): string {
  return regressionDetails(regression).join('; ')
}

/** The same, a line for each. */
export function regressionDetails(regression: Regression): readonly string[] {
  switch (regression.kind) {
    case 'failing': {
      const { beforeVersion, nowVersion } = regression
      // What is not served has no version.
      const isSame = beforeVersion === nowVersion || nowVersion === ''
      return [isSame ? 'passed before, fails now' : `passed with ${beforeVersion}, fails with ${nowVersion}`]
    }
    case 'shape':
      return regression.changes.filter(({ breaking }) => breaking).map(shapeChangeWords)
    case 'latency':
      return [slowerWords(regression.numbers)]
  }
}

export function slowerWords({ beforeMs, nowMs, ratio, chance, runs }: ShiftNumbers): string {
  const times = ratio >= 1 ? `${ratio.toFixed(1)} times slower` : `${(1 / ratio).toFixed(1)} times faster`
  const sure = chance < 0.001 ? 'p < 0.001' : `p = ${chance.toFixed(3)}`
  return `${times}: ${msWords(beforeMs)} → ${msWords(nowMs)} (${runs.before} and ${runs.now} runs, ${sure})`
}

export function msWords(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}
