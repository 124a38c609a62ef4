import { relative } from 'node:path'
import { type BaselineReport, type Regression, regressionDetails } from '../../app/index.ts'
import { oneLine } from '../../model/index.ts'
import type { Printer } from '../printer.ts'

type Paint = Printer['paint']

/** What became worse since the baseline, and what else is to be said about it. */
export function baselineLines(baseline: BaselineReport, cwd: string, paint: Paint): string[] {
  const near = relative(cwd, baseline.file)
  const file = oneLine(near.startsWith('..') ? baseline.file : near)
  if (baseline.isStored) return [paint('dim', `stored as the baseline: ${file}`)]
  const { regressions, notes } = baseline
  return [
    ...(regressions.length === 0 ? [] : [paint('bold', `worse than ${file}`)]),
    ...regressions.flatMap((one) => regressionLines(one, paint)),
    ...groupNotes(notes).map((line) => paint('dim', `  ${line}`)),
  ]
}

function regressionLines(regression: Regression, paint: Paint): string[] {
  const { tool, name, kind, fails } = regression
  const mark = fails ? paint('red', '✗') : paint('yellow', '!')
  const about = `${mark} ${oneLine(tool)}: ${oneLine(name)} ${paint('dim', `(${WORDS[kind]})`)}`
  return [about, ...regressionDetails(regression).map((line) => `    ${oneLine(line)}`)]
}

const WORDS = { failing: 'test', shape: 'output', latency: 'time' } as const

/** The same about many tests is said once. */
function groupNotes(notes: BaselineReport['notes']): string[] {
  const byMessage = new Map<string, string[]>()
  for (const { tool, name, message } of notes) {
    const about = `${oneLine(tool)}: ${oneLine(name)}`
    byMessage.set(message, [...(byMessage.get(message) ?? []), about])
  }
  return [...byMessage].map(([message, about]) =>
    about.length === 1 ? `${about[0]}: ${oneLine(message)}` : `${about.length} tests: ${oneLine(message)}`,
  )
}
