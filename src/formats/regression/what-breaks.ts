import type { PackageDiff, TestComparison } from './package-diff.ts'
import { regressionWords } from './regression.ts'
import type { SchemaChange } from './schema-changes.ts'

/** What makes the newer one worse for a caller, in a line each. Empty: switching is safe as far as this can tell. */
export function whatBreaks({ tools, tests, before }: PackageDiff): string[] {
  const schemas = tools.changed.flatMap(({ name, input, output }) => [
    ...input.filter((one) => one.breaking).map((one) => `${name}: input ${schemaChangeWords(one)}`),
    ...output.filter((one) => one.breaking).map((one) => `${name}: output ${schemaChangeWords(one)}`),
  ])
  return [
    ...tools.removed.map((name) => `the tool \`${name || before.name}\` is gone`),
    ...schemas,
    ...(tests === null ? [] : failuresOf(tests)),
  ]
}

function failuresOf({ tests, regressions }: TestComparison): string[] {
  const worse = regressions.filter(({ fails }) => fails)
  const own = tests.filter(
    ({ of, before, now }) => of !== 'before' && before.status !== 'passed' && now.status === 'failed',
  )
  return [
    ...worse.map((one) => `the test ${one.name}: ${regressionWords(one)}`),
    ...own.map(({ name, now }) => `fails its own test ${name}: ${now.reasons[0] ?? ''}`),
  ]
}

export function schemaChangeWords({ path, change, before, now }: SchemaChange): string {
  if (change === 'added') return `${path} is new: ${now}`
  return change === 'removed' ? `${path} is gone; it was ${before}` : `${path}: ${before} → ${now}`
}
