import { expect, it } from 'vitest'
import { formatTap } from './tap.ts'
import type { TestOutcome } from './test-report.ts'

const PASSED: TestOutcome = {
  package: 'fs',
  version: '1.0.0',
  samples: [],
  tool: 'fs',
  name: 'reads # 1\nnot ok',
  file: 'tests/reads.test.json',
  status: 'passed',
  ms: 12.345,
  runs: 1,
  failedRuns: 0,
  reasons: [],
  diff: [],
}

it('Q111: TAP has a line for each test and details below those that failed', () => {
  const failed: TestOutcome = {
    ...PASSED,
    name: 'writes',
    status: 'failed',
    reasons: ['no\n...\nok 3 \u202e'],
  }
  const skipped: TestOutcome = { ...PASSED, name: 'asks', status: 'skipped', reasons: ['no network'] }
  expect(formatTap({ outcomes: [PASSED, failed, skipped], ms: 40 })).toBe(
    `TAP version 14
1..3
ok 1 - fs: reads \\# 1 not ok
  ---
  duration_ms: 12.35
  ...
not ok 2 - fs: writes
  ---
  duration_ms: 12.35
  failures: ["no\\n...\\nok 3 \\\\u{202e}"]
  file: "tests/reads.test.json"
  ...
ok 3 - fs: asks # SKIP no network
`,
  )
})
