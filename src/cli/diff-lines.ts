import {
  msWords,
  type PackageDiff,
  type SchemaChange,
  schemaChangeWords,
  shapeChangeWords,
  slowerWords,
  type TestDiff,
  whatBreaks,
} from '../app/index.ts'
import { oneLine } from '../model/index.ts'
import type { Printer } from './printer.ts'

type Paint = Printer['paint']

/** Two versions of a package, for a person: what differs, and `!` before what breaks a caller. */
export function diffLines(diff: PackageDiff, paint: Paint): string[] {
  const { before, now, implementations, notRun } = diff
  return [
    headLine(diff, paint),
    `  before  ${oneLine(before.from)}`,
    `  now     ${oneLine(now.from)}`,
    ...section('description', exchanged(before.description, now.description), paint),
    ...callerLines(diff, paint, true),
    ...section(
      'implementations',
      [
        ...implementations.removed.map((id) => `  - ${oneLine(id)}`),
        ...implementations.added.map((id) => `  + ${oneLine(id)}`),
        ...implementations.changed.map((one) => `    ${oneLine(`${one.id}: ${one.before} → ${one.now}`)}`),
      ],
      paint,
    ),
    ...testLines(diff, paint),
    ...(notRun === undefined ? [] : [paint('dim', `no tests were run: ${notRun}`)]),
    verdictLine(diff, paint),
  ]
}

/** The same in short, before an update: what changes for whoever calls it, by what is written. */
export function updateLines(diff: PackageDiff, paint: Paint): string[] {
  const lines = callerLines(diff, paint, false)
  return [headLine(diff, paint), ...(lines.length === 0 ? ['  nothing changes for a caller'] : lines)]
}

/** What the tests of both versions have shown; one line when nothing is worse. */
export function updateTestLines(diff: PackageDiff, paint: Paint): string[] {
  const { tests, before, now } = diff
  if (tests === null || tests.tests.length === 0) return []
  const shown = tests.tests.filter((test) => hasNews(test))
  if (shown.length > 0) return testLines({ ...diff, tests: { ...tests, tests: shown } }, paint)
  const count = tests.tests.length === 1 ? '1 test' : `${tests.tests.length} tests`
  return [`  ${count}: ${now.version} does what ${before.version} did`]
}

function headLine({ before, now }: PackageDiff, paint: Paint): string {
  const name =
    before.name === now.name ? now.name : `${before.name} ${before.version} → ${now.name} ${now.version}`
  const versions = before.name === now.name ? ` ${before.version} → ${now.version}` : ''
  return paint('bold', `${name}${versions}`)
}

/** What a caller, or whoever has to accept it, will notice. */
function callerLines(
  { permissions, hooks, tools, now, before }: PackageDiff,
  paint: Paint,
  isWhole: boolean,
): string[] {
  const changed = tools.changed.flatMap(({ name, description, input, output }) => {
    const about = tools.changed.length > 1 || name !== now.name ? ` of ${oneLine(name)}` : ''
    // Of a package that is one tool it was told above.
    const isTold = !isWhole || name === now.name
    const words = description && !isTold ? exchanged(description.before, description.now) : []
    return [
      ...section(`description${about}`, words, paint),
      ...section(`input${about}`, schemaLines(input, isWhole, paint), paint),
      ...section(`output${about}`, schemaLines(output, isWhole, paint), paint),
    ]
  })
  return [
    ...section('permissions', plusMinus(permissions, paint), paint),
    ...section('hooks', plusMinus(hooks, paint), paint),
    ...section(
      'tools',
      [
        ...tools.removed.map((name) => breaking(`- ${oneLine(name || before.name)}`, paint)),
        ...tools.added.map((name) => `  + ${oneLine(name || now.name)}`),
      ],
      paint,
    ),
    ...changed,
  ]
}

function schemaLines(changes: readonly SchemaChange[], isWhole: boolean, paint: Paint): string[] {
  return changes
    .filter(({ change }) => isWhole || change !== 'text')
    .map((one) => {
      const words = oneLine(schemaChangeWords(one))
      return one.breaking ? breaking(words, paint) : `    ${words}`
    })
}

const NAME_WIDTH = 28
const SIDE_WIDTH = 14

function testLines({ tests, before, now }: PackageDiff, paint: Paint): string[] {
  if (tests === null) return []
  if (tests.tests.length === 0) return [paint('dim', 'neither version brings tests')]
  const head = [
    paint('bold', 'tests'.padEnd(NAME_WIDTH + 4)),
    before.version.padEnd(SIDE_WIDTH),
    now.version,
  ].join('')
  return [head, ...tests.tests.flatMap((test) => [sidesLine(test, paint), ...newsLines(test, paint)])]
}

const OF = { both: '', before: ' (only before)', now: ' (new)' } as const

function sidesLine({ name, of, before, now }: TestDiff, paint: Paint): string {
  const label = `${oneLine(name)}${OF[of]}`
  const short = label.length > NAME_WIDTH ? `${label.slice(0, NAME_WIDTH - 1)}…` : label
  const painted = (side: TestDiff['now'], words: string) =>
    side.status === 'failed' ? paint('red', words) : words
  const sides = [painted(before, sideWords(before).padEnd(SIDE_WIDTH)), painted(now, sideWords(now))]
  return `    ${short.padEnd(NAME_WIDTH)}${sides.join('')}`
}

function sideWords({ status, ms }: TestDiff['now']): string {
  if (status === 'skipped') return 'skipped'
  const time = ms === null ? '' : ` ${msWords(ms)}`
  return `${status === 'passed' ? '✓' : '✗'}${time}`
}

/** What differs between the two runs, below their line. */
function newsLines({ of, before, now, output, latency }: TestDiff, paint: Paint): string[] {
  const isWorse = now.status === 'failed' && (before.status === 'passed' || of !== 'before')
  const isDone = before.status === 'passed' && now.status === 'passed'
  const isShifted = isDone && (latency.kind === 'slower' || latency.kind === 'faster')
  return [
    ...(isWorse ? [breaking(`  ${oneLine(now.reasons[0] ?? '')}`, paint)] : []),
    ...output.map((change) => {
      const words = `  output ${oneLine(shapeChangeWords(change))}`
      return change.breaking && of !== 'now' ? breaking(words, paint) : `    ${words}`
    }),
    ...(isShifted ? [`      ${slowerWords(latency.numbers)}`] : []),
  ]
}

function hasNews({ before, now, output }: TestDiff): boolean {
  return before.status !== now.status || now.status === 'failed' || output.length > 0
}

function verdictLine(diff: PackageDiff, paint: Paint): string {
  const count = whatBreaks(diff).length
  if (count === 0) return 'Nothing breaks a caller, as far as this can tell.'
  return paint('red', `${count === 1 ? '1 thing breaks' : `${count} things break`} a caller (marked !).`)
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : [paint('bold', title), ...lines]
}

function exchanged(before: string, now: string): string[] {
  return before === now ? [] : [`  - ${oneLine(before)}`, `  + ${oneLine(now)}`]
}

function plusMinus({ added, removed }: PackageDiff['hooks'], paint: Paint): string[] {
  return [
    ...removed.map((word) => `  - ${oneLine(word)}`),
    ...added.map((word) => paint('yellow', `  + ${oneLine(word)}`)),
  ]
}

function breaking(words: string, paint: Paint): string {
  return `  ${paint('red', '!')} ${words}`
}
