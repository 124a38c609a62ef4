import { describe, expect, it } from 'vitest'
import { formatJunit } from './junit.ts'
import type { TestOutcome } from './test-report.ts'

const PASSED: TestOutcome = {
  package: 'fs',
  version: '1.0.0',
  samples: [],
  tool: 'fs',
  name: 'reads',
  file: 'tests/reads.test.json',
  status: 'passed',
  ms: 12.3,
  runs: 1,
  failedRuns: 0,
  reasons: [],
  diff: [],
}

describe('formatJunit', () => {
  it('Q111: makes a suite of each tool and counts what failed and what was skipped', () => {
    const failed: TestOutcome = { ...PASSED, name: 'writes', status: 'failed', reasons: ['first', 'second'] }
    const skipped: TestOutcome = { ...PASSED, tool: 'http', status: 'skipped', reasons: ['no network'] }
    expect(formatJunit({ outcomes: [PASSED, failed, skipped], ms: 40 })).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="orla" tests="3" failures="1" errors="0" skipped="1" time="0.040">
  <testsuite name="fs" tests="2" failures="1" errors="0" skipped="0" time="0.025">
    <testcase classname="fs" name="reads" file="tests/reads.test.json" time="0.012"/>
    <testcase classname="fs" name="writes" file="tests/reads.test.json" time="0.012">
      <failure message="first">first&#10;second</failure>
    </testcase>
  </testsuite>
  <testsuite name="http" tests="1" failures="0" errors="0" skipped="1" time="0.012">
    <testcase classname="http" name="reads" file="tests/reads.test.json" time="0.012">
      <skipped message="no network"/>
    </testcase>
  </testsuite>
</testsuites>
`,
    )
  })

  it('keeps whatever a tool says out of the markup', () => {
    const name = 'a"<b>&\u0000\ud800\u001b\u202e😀'
    const text = formatJunit({ outcomes: [{ ...PASSED, name }], ms: 1 })
    expect(text).toContain('name="a&quot;&lt;b&gt;&amp;\\x00\\u{d800}\\x1b\\u{202e}😀"')
  })
})
