import { escapeControls } from '../model/index.ts'
import { byTool, countOutcomes, type TestOutcome, type TestReport } from './test-report.ts'

/** The XML that build servers read. A tool is a suite. */
export function formatJunit({ outcomes, ms }: TestReport): string {
  const suites = [...byTool(outcomes)].flatMap(([tool, group]) => suiteLines(tool, group))
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="orla"${countsOf(outcomes)} time="${seconds(ms)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function suiteLines(tool: string, outcomes: readonly TestOutcome[]): string[] {
  const ms = outcomes.reduce((sum, outcome) => sum + outcome.ms * outcome.runs, 0)
  return [
    `  <testsuite name="${xml(tool)}"${countsOf(outcomes)} time="${seconds(ms)}">`,
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

function countsOf(outcomes: readonly TestOutcome[]): string {
  const { failed, skipped } = countOutcomes(outcomes)
  return ` tests="${outcomes.length}" failures="${failed}" errors="0" skipped="${skipped}"`
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
