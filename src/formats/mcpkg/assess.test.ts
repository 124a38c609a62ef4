import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import type { Json } from '../../model/index.ts'
import { loadJsonPath } from '../jsonpath.ts'
import { examine, type JudgeKit, judge } from '../judge.ts'
import { type Assertion, readTestCase } from '../test-case.ts'
import { compare } from './compare.ts'
import { diffLines } from './diff.ts'
import { loadPatterns } from './patterns.ts'

const jsonPath = await loadJsonPath()
const patterns = await loadPatterns()
const kit: JudgeKit = {
  patterns,
  schemas: {
    check: () => [],
    validate: (schema, value) => (schema.const === value ? [] : ['it must be the same']),
  },
}
const RESULT: Json = {
  text: 'grüße 🎉',
  count: 3,
  half: 1.5,
  list: [1, { a: 2, b: 3 }],
  map: { x: { y: 1, z: 2 } },
  none: null,
}
const failures = (assertion: Assertion, using = kit) =>
  judge({ name: 't', input: {}, assertions: [assertion] }, RESULT, jsonPath, using)

describe('assertions beyond the spec', () => {
  it.each<[Assertion, string[]]>([
    [{ path: '$.text', matches: '^gr.*e' }, []],
    [{ path: '$.text', matches: '^e' }, ['$.text: expected a text that matches "^e", found "grüße 🎉"']],
    [{ path: '$.count', matches: '3' }, ['$.count: expected a text that matches "3", found 3']],
    [
      { path: '$.text', matches: '(?=x)' },
      [expect.stringContaining('$.text: "(?=x)" is not a regular expression') as string],
    ],
    [{ path: '$.gone', matches: 'x' }, ['$.gone: expected a text that matches "x", but nothing is there']],
    [{ path: '$.text', contains: 'üß' }, []],
    [{ path: '$.text', contains: 'x' }, ['$.text: expected something that contains "x", found "grüße 🎉"']],
    [{ path: '$.list', contains: 1 }, []],
    [{ path: '$.list', contains: { a: 2 } }, []],
    [
      { path: '$.list', contains: 2 },
      ['$.list: expected something that contains 2, found [1,{"a":2,"b":3}]'],
    ],
    [{ path: '$.map', contains: { x: { y: 1 } } }, []],
    [
      { path: '$.map', contains: 'x' },
      ['$.map: expected something that contains "x", found {"x":{"y":1,"z":2}}'],
    ],
    [{ path: '$.none', contains: null }, ['$.none: expected something that contains null, found null']],
    [{ path: '$.count', greaterThan: 2, lessThan: 4 }, []],
    [{ path: '$.count', greaterThan: 3 }, ['$.count: expected a number greater than 3, found 3']],
    [{ path: '$.count', lessThan: 3 }, ['$.count: expected a number less than 3, found 3']],
    [{ path: '$.text', lessThan: 3 }, ['$.text: expected a number less than 3, found "grüße 🎉"']],
    [{ path: '$.text', length: 7 }, []],
    [{ path: '$.list', length: 2 }, []],
    [{ path: '$.map', length: 1 }, []],
    [{ path: '$.list', length: 0 }, ['$.list: expected a length of 0, found 2']],
    [{ path: '$.count', length: 1 }, ['$.count: expected something with a length, found 3']],
    [{ path: '$.count', type: 'integer' }, []],
    [{ path: '$.count', type: 'number' }, []],
    [{ path: '$.half', type: 'integer' }, ['$.half: expected a value of type integer, found 1.5']],
    [{ path: '$.none', type: 'null' }, []],
    [{ path: '$.list', type: 'array' }, []],
    [
      { path: '$.list', type: 'object' },
      ['$.list: expected a value of type object, found [1,{"a":2,"b":3}]'],
    ],
    [{ path: '$.count', schema: { const: 3 } }, []],
    [{ path: '$.count', schema: { const: 4 } }, ['$.count: does not fit the schema: it must be the same']],
    [{ path: '$.list[*]', type: 'number' }, ['$.list[*]: type needs one value, but the path selects 2']],
    [
      { path: '$.count', equals: 4, greaterThan: 9, notEquals: 3 },
      [
        '$.count: expected 4, found 3',
        '$.count: expected a number greater than 9, found 3',
        '$.count: expected anything but 3',
      ],
    ],
  ])('Q109: %j gives %j', (assertion, messages) => {
    expect(failures(assertion)).toEqual(messages)
  })

  it('Q109: what cannot be checked does not hold', () => {
    expect(failures({ path: '$.text', matches: 'g' }, {})).toEqual(['$.text: matches cannot be checked here'])
    expect(failures({ path: '$.text', schema: {} }, {})).toEqual(['$.text: schema cannot be checked here'])
  })

  it('Q109: are read, with every problem', () => {
    const read = (assertion: unknown) =>
      readTestCase(JSON.stringify({ name: 'x', assertions: [assertion] }), 'f', jsonPath, { patterns })
    const good = {
      path: '$',
      matches: 'x',
      contains: null,
      greaterThan: 1,
      lessThan: 2.5,
      length: 0,
      type: 'null',
      schema: {},
    }
    expect(read(good)).toMatchObject({ testCase: { assertions: [good] }, problems: [] })
    expect(
      read({
        path: '$',
        exists: true,
        matches: '(',
        greaterThan: '1',
        length: -1,
        type: 'text',
        schema: [],
      }).problems.map(({ pointer }) => pointer),
    ).toEqual(['greaterThan', 'length', 'type', 'schema', 'matches'].map((key) => `/assertions/0/${key}`))
  })

  it('Q111: findings have both sides', () => {
    const testCase = {
      name: 't',
      input: {},
      expected: { count: 4, gone: 1 },
      assertions: [{ path: '$.half', lessThan: 1 }],
    }
    expect(examine(testCase, RESULT, jsonPath, kit)).toEqual([
      { path: '$.count', message: 'expected 4, found 3', expected: 4, actual: 3 },
      { path: '$.gone', message: 'expected 1, but nothing is there', expected: 1 },
      { path: '$.half', message: 'expected a number less than 1, found 1.5', actual: 1.5 },
    ])
  })
})

describe('regular expressions', () => {
  it('Q109: are found anywhere, by one rule', () => {
    expect(patterns.find('b+', 'abbc')).toBe(true)
    expect(patterns.find('(?<year>\\d{4})-\\d\\d', 'on 2025-11-21')).toBe(true)
    expect(patterns.find('^b', 'abc')).toBe(false)
    expect(patterns.check('a(')).toMatchObject({
      message: expect.stringContaining('is not a regular expression'),
    })
    expect(patterns.check('(a)\\1')?.hint).toContain('references back to groups')
    expect(patterns.check('x'.repeat(2000))).toMatchObject({ message: 'is longer than 1000 characters' })
  })

  it('Q109: cannot be made to run for long', () => {
    expect(patterns.find('(x+x+)+y', 'x'.repeat(100_000))).toBe(false)
    expect(patterns.find('([a-g]{1,50}){1,10}[0-9]', 'abcdefg'.repeat(100_000))).toEqual({
      problem: { message: 'takes too long on this value' },
    })
  })

  it('never throw', () => {
    fc.assert(fc.property(anyText(), fc.string(), (pattern, text) => void patterns.find(pattern, text)))
  })
})

describe('the difference of two values', () => {
  const drawn = (expected: Json, found: Json) =>
    diffLines(expected, found).map(
      ({ side, depth, text }) =>
        `${{ both: ' ', expected: '-', found: '+', gap: '…' }[side]}${'  '.repeat(depth)}${text}`,
    )

  it('Q111: shows both sides where they part, and what is the same in one line', () => {
    expect(
      drawn(
        { status: 'ok', deep: { a: [1, 2], b: { c: 1 } }, list: [1, 2], gone: true },
        { status: 'no', deep: { a: [1, 2], b: { c: 2 }, more: 1 }, list: [1, 3, 4] },
      ),
    ).toEqual([
      ' {',
      '-  "status": "ok"',
      '+  "status": "no"',
      '   "deep": {',
      '     "a": [1,2]',
      '     "b": {',
      '-      "c": 1',
      '+      "c": 2',
      '     }',
      '…    1 more key',
      '   }',
      '   "list": [',
      '     1',
      '-    2',
      '+    3',
      '+    4',
      '   ]',
      '-  "gone": true',
      ' }',
    ])
  })

  it('Q111: is empty exactly when the test passes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [expected, found] = JSON.parse(JSON.stringify([a, b])) as [Json, Json]
        expect(diffLines(expected, expected)).toEqual([])
        expect(diffLines(expected, found).length === 0).toBe(compare(expected, found).length === 0)
      }),
    )
  })

  it('Q111: stays short', () => {
    const lines = diffLines(
      Array.from({ length: 1000 }, (_, index) => index),
      [],
    )
    expect(lines).toHaveLength(201)
    expect(lines.at(-1)).toEqual({ side: 'gap', depth: 0, text: '802 more lines' })
    expect(diffLines('x'.repeat(9999), 1)[0]?.text).toHaveLength(201)
  })
})
