import { describe, expect, it } from 'vitest'
import { OrlaError } from '../../model/index.ts'
import type { TestOutcome } from '../test-report.ts'
import { formatBaseline, parseBaseline } from './baseline-file.ts'
import { baselineTest } from './baseline-test.ts'
import { compareWithBaseline } from './compare-baseline.ts'
import { shapeOf } from './output-shape.ts'
import { regressionJson, regressionWords } from './regression.ts'

const HOST = '0123456789abcdef'
const FACTS = { host: HOST, atOnce: 2, whole: ['fs'], isStrict: false }
const QUICK = [10, 11, 10, 12, 11]
const SLOW = [40, 41, 42, 40, 43]

function outcome(more: Partial<TestOutcome> = {}): TestOutcome {
  return {
    package: 'fs',
    tool: 'fs',
    version: '1.0.0',
    name: 'reads',
    file: 'tests/reads.test.json',
    status: 'passed',
    ms: 11,
    runs: 6,
    failedRuns: 0,
    reasons: [],
    samples: QUICK,
    output: shapeOf({ text: 'x', size: 1 }),
    diff: [],
    ...more,
  }
}

function against(before: Partial<TestOutcome>, now: Partial<TestOutcome>, facts = FACTS, atOnce = 2) {
  const baseline = { tests: [baselineTest(outcome(before), HOST, atOnce)] }
  return compareWithBaseline([outcome({ version: '1.1.0', ...now })], baseline, facts)
}

describe('compareWithBaseline', () => {
  it('Q123, Q127: finds what failed since, what changed its shape, and what became slow', () => {
    const { regressions } = against(
      {},
      { status: 'failed', reasons: ['no'], samples: SLOW, output: shapeOf({ size: '1' }) },
    )
    expect(regressions.map(regressionWords)).toEqual([
      'passed with 1.0.0, fails with 1.1.0',
      '$.size was number, is string; $.text is gone; it was string',
    ])
    expect(regressions.map(regressionJson)[1]).toMatchObject({
      tool: 'fs',
      name: 'reads',
      kind: 'shape',
      before: '{size: number, text: string}',
      now: '{size: string}',
      fails: true,
      before_version: '1.0.0',
      now_version: '1.1.0',
    })
    const [slow] = against({}, { samples: SLOW }).regressions
    expect(slow && regressionJson(slow)).toMatchObject({
      kind: 'latency',
      before: 11,
      now: 41,
      fails: false,
      ratio: 3.73,
      before_runs: 5,
      now_runs: 5,
    })
    expect(against({}, { samples: SLOW }, { ...FACTS, isStrict: true }).regressions[0]?.fails).toBe(true)
  })

  it('finds nothing where nothing is worse, and says what is new', () => {
    expect(against({}, {})).toEqual({ regressions: [], notes: [], compared: 1 })
    expect(against({ status: 'failed' }, { status: 'failed' }).regressions).toEqual([])
    const more = against({}, { output: shapeOf({ text: 'x', size: 1, owner: 'ada' }) })
    expect(more).toMatchObject({ regressions: [], notes: [{ message: '$.owner is new: string' }] })
    expect(against({ samples: SLOW }, {}).notes[0]?.message).toMatch(/^3.7 times faster/)
  })

  it('compares time only where it means the same', () => {
    const notes = (...words: Parameters<typeof against>) =>
      against(...words).notes.map(({ message }) => message)
    expect(notes({}, { samples: SLOW }, { ...FACTS, host: 'another' })).toEqual([
      'time is not compared: the baseline was measured on another machine',
    ])
    expect(notes({}, { samples: SLOW }, FACTS, 1)).toEqual([
      'time is not compared: 1 ran at once for the baseline, 2 now (`--jobs 1`)',
    ])
    expect(notes({ samples: [10] }, { samples: [99] })[0]).toMatch(/not enough runs/)
  })

  it('Q127: knows a test again when its package is not served and nobody can tell its tool', () => {
    const { regressions, notes } = against(
      { tool: 'fs.read' },
      { tool: 'fs', version: '', status: 'failed', reasons: ['it does not start'] },
    )
    expect(regressions.map(regressionWords)).toEqual(['passed before, fails now'])
    expect(notes).toEqual([])
  })

  it('says which tests are gone, but not when only some were run', () => {
    const baseline = { tests: [baselineTest(outcome(), HOST, 1)] }
    const message = 'is in the baseline and not among the tests any more'
    expect(compareWithBaseline([], baseline, FACTS).notes).toEqual([{ tool: 'fs', name: 'reads', message }])
    expect(compareWithBaseline([], baseline, { ...FACTS, whole: [] }).notes).toEqual([])
  })
})

describe('the baseline file', () => {
  it('is the same text for the same tests, and reads as it was written', () => {
    const tests = ['b', 'a'].map((name) => baselineTest(outcome({ name }), HOST, 2))
    const text = formatBaseline({ tests })
    expect(formatBaseline({ tests: [...tests].reverse() })).toBe(text)
    expect(formatBaseline(parseBaseline(text, 'baseline.json'))).toBe(text)
    expect(parseBaseline(text, 'baseline.json').tests.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(formatBaseline({ tests: [] })).toBe('{\n  "v": 1,\n  "tests": []\n}\n')
  })

  it('keeps some of many samples, and of a huge output only its type', () => {
    const samples = Array.from({ length: 5_000 }, (_, index) => index)
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}`.padEnd(200, 'k'), i]))
    const { latency, output } = baselineTest(outcome({ samples, output: shapeOf(wide) }), HOST, 1)
    expect([latency.samplesMs.length, latency.samplesMs.at(-1)]).toEqual([50, 4_900])
    expect(output).toEqual({ types: ['object'], open: true })
  })

  it.each([
    ['', /:1:1: is empty/],
    ['<<<<<<< ours\n{}', /is not JSON/],
    ['{"v": 1}', /tests/],
    ['{"v": 9, "tests": []}', /newer Orla/],
    ['{"v": 1, "tests": [{"tool": "x"}]}', /entry 1 of `tests`/],
    [
      '{"v": 1, "tests": [{"package": "a", "tool": "a", "name": "a", "file": "a", "version": "1", "status": "passed", "output": {"types": ["cow"]}, "latency": {"host": "", "at_once": 1, "samples_ms": []}}]}',
      /entry 1/,
    ],
  ])('says what is wrong with %j and the way out', (text, message) => {
    expect(() => parseBaseline(text, 'b.json')).toThrow(message)
    try {
      parseBaseline(text, 'b.json')
    } catch (error) {
      expect(error).toBeInstanceOf(OrlaError)
      expect((error as OrlaError).hint).toMatch(/orla test --all --baseline|update Orla/)
    }
  })
})
