import { escapeControls } from '../model/index.ts'
import { type Regression, regressionWords } from './regression/regression.ts'
import type { TestOutcome, TestReport } from './test-report.ts'

/** Test Anything Protocol, version 14. */
export function formatTap({ outcomes, baseline }: TestReport): string {
  const regressions = baseline?.regressions ?? []
  return [
    'TAP version 14',
    `1..${outcomes.length + regressions.length}`,
    ...outcomes.flatMap(lines),
    ...regressions.map((one, index) => regressionLine(one, outcomes.length + index + 1)),
    '',
  ].join('\n')
}

/** A point that is to be done does not fail the whole: that is what a warning is. */
function regressionLine(regression: Regression, number: number): string {
  const words = escaped(regressionWords(regression))
  const point = `not ok ${number} - ${label(regression)} (${regression.kind} regression)`
  return regression.fails ? `${point} ${words}` : `${point} # TODO ${words}`
}

function lines(outcome: TestOutcome, index: number): string[] {
  const { status, reasons } = outcome
  const point = `${status === 'failed' ? 'not ok' : 'ok'} ${index + 1} - ${label(outcome)}`
  if (status === 'skipped') return [`${point} # SKIP ${oneLine(reasons[0] ?? '')}`]
  // Every JSON text is YAML, and nothing in it can end the block.
  const details: Record<string, unknown> = { duration_ms: Math.round(outcome.ms * 100) / 100 }
  if (status === 'failed') {
    details.failures = reasons
    details.file = outcome.file
  }
  const block = Object.entries(details).map(([key, value]) => `  ${key}: ${JSON.stringify(value, readable)}`)
  return [point, '  ---', ...block, '  ...']
}

/** Nothing that hides or turns text on a screen. */
function readable(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? escapeControls(value) : value
}

function label({ tool, name }: Pick<TestOutcome, 'tool' | 'name'>): string {
  return escaped(`${tool}: ${name}`)
}

function escaped(text: string): string {
  return oneLine(text).replaceAll('\\', '\\\\').replaceAll('#', '\\#')
}

function oneLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, ' ').trim())
}
