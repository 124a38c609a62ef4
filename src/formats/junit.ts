import { escapeControls } from '../model/index.ts'
import { type Regression, regressionWords } from './regression/regression.ts'
import { byTool, countOutcomes, type TestCounts, type TestOutcome, type TestReport } from './test-report.ts'

/** The XML that build servers read. A tool is a suite, and what got worse since the baseline is another one. */
export function formatJunit({ outcomes, ms, baseline }: TestReport): string {
  const suites = [...byTool(outcomes)].flatMap(([tool, group]) => suiteLines(tool, group))
  const regressions = baseline?.regressions ?? []
  const counts = countOutcomes(outcomes)
  const worse = regressionCounts(regressions)
  const all = {
    passed: counts.passed + worse.passed,
    failed: counts.failed + worse.failed,
    skipped: counts.skipped,
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="orla"${countsOf(all)} time="${seconds(ms)}">`,
    ...suites,
    ...(regressions.length === 0 ? [] : regressionLines(regressions, worse)),
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteLines(tool: string, outcomes: readonly TestOutcome[]): string[] {
  const ms = outcomes.reduce((sum, outcome) => sum + outcome.ms * outcome.runs, 0)
  return [
    `  <testsuite name="${xml(tool)}"${countsOf(countOutcomes(outcomes))} time="${seconds(ms)}">`,
    ...outcomes.flatMap(caseLines),
    '  </testsuite>',
  ]
}

function caseLines({ tool, name, file, ms, status, reasons }: TestOutcome): string[] {
  const head = `    <testcase classname="${xml(tool)}" name="${xml(name)}" file="${xml(file)}" time="${seconds(ms)}"`
  if (status === 'passed') return [`${head}/>`]
  const first = xml(reasons[0] ?? '')
  const inside =
    status === 'skipped'
      ? `      <skipped message="${first}"/>`
      : `      <failure message="${first}">${xml(reasons.join('\n'))}</failure>`
  return [`${head}>`, inside, '    </testcase>']
}

function regressionLines(regressions: readonly Regression[], counts: TestCounts): string[] {
  const cases = regressions.flatMap((one) => {
    const words = xml(regressionWords(one))
    const inside = one.fails
      ? `      <failure type="regression" message="${words}"></failure>`
      : `      <system-out>${words}</system-out>`
    const head = `    <testcase classname="${xml(one.tool)}" name="${xml(`${one.name} (${one.kind})`)}" time="0.000">`
    return [head, inside, '    </testcase>']
  })
  return [`  <testsuite name="regressions"${countsOf(counts)} time="0.000">`, ...cases, '  </testsuite>']
}

/** One that only warns does not fail a build. */
function regressionCounts(regressions: readonly Regression[]): TestCounts {
  const failed = regressions.filter(({ fails }) => fails).length
  return { passed: regressions.length - failed, failed, skipped: 0 }
}

function countsOf({ passed, failed, skipped }: TestCounts): string {
  return ` tests="${passed + failed + skipped}" failures="${failed}" errors="0" skipped="${skipped}"`
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

/** What XML 1.0 has no way to write, half a surrogate pair included, becomes a question mark. */
function xml(text: string): string {
  return escapeControls(text)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '?')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;')
}
