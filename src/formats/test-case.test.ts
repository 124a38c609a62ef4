import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import type { Json } from '../model/index.ts'
import { loadJsonPath } from './jsonpath.ts'
import { judge } from './judge.ts'
import { type Assertion, readTestCase } from './test-case.ts'

const jsonPath = await loadJsonPath()
const read = (value: unknown) => readTestCase(JSON.stringify(value, null, 1), 'a.test.json', jsonPath)

describe('test files', () => {
  it('Q107: hold one scenario', () => {
    const written = {
      name: 'basic',
      description: 'A charge',
      input: { amount: 1000 },
      expected: { status: 'ok' },
      assertions: [
        { path: '$.status', equals: 'ok' },
        { path: '$.error', equals: null },
      ],
      timeoutMs: 10_000,
    }
    expect(read(written)).toEqual({ testCase: written, problems: [] })
  })

  it('Q107: need a name only', () => {
    expect(read({ name: 'x' })).toEqual({ testCase: { name: 'x', input: {}, assertions: [] }, problems: [] })
    expect(read({ name: 'x', expected: null }).testCase).toHaveProperty('expected', null)
  })

  it('Q107: tell every problem with its place', () => {
    const { testCase, problems } = read({
      input: [],
      assertions: [{ path: 'status', equals: 1 }, { path: '$.a' }, { path: '$.b', equal: 1 }, { equals: 1 }],
      timeoutMs: -1,
    })
    expect(testCase).toBeUndefined()
    expect(problems.map(({ pointer }) => pointer)).toEqual([
      '/input',
      '/assertions/2/equal',
      '/assertions/3',
      '/timeoutMs',
      '',
      '/assertions/0/path',
      '/assertions/1',
      '/assertions/2',
    ])
    expect(problems[1]?.hint).toBe('did you mean `equals`?')
    expect(problems.every(({ line }) => line > 0)).toBe(true)
  })

  it('never throw', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.json()), (source) => {
        const { testCase, problems } = readTestCase(source, 'f', jsonPath)
        expect(testCase === undefined).toBe(problems.length > 0)
      }),
    )
  })
})

const RESULT: Json = { status: 'ok', amount: 1000, list: [1, { a: 2, b: 3 }], none: null, '': 0, 'a b': 1 }

describe('judging a result', () => {
  it.each<[string, Json, string[]]>([
    ['a part of it', { status: 'ok', list: [1, { a: 2 }] }, []],
    ['nothing of a map', {}, []],
    ['null where null is', { none: null }, []],
    ['another value', { status: 'no' }, ['$.status: expected "no", found "ok"']],
    ['another type', { amount: '1000' }, ['$.amount: expected "1000", found 1000']],
    ['what is not there', { gone: null }, ['$.gone: expected null, but nothing is there']],
    ['a shorter list', { list: [1] }, ['$.list: expected 1 elements, found 2']],
    ['a list where none is', { status: [] }, ['$.status: expected a list, found "ok"']],
    ['a map where none is', { amount: {} }, ['$.amount: expected a map, found 1000']],
    [
      'something in depth',
      { list: [2, { a: 3 }] },
      ['$.list[0]: expected 2, found 1', '$.list[1].a: expected 3, found 2'],
    ],
    ['odd keys', { 'a b': 2, '': 1 }, ['$["a b"]: expected 2, found 1', '$[""]: expected 1, found 0']],
    ['an inherited key', { toString: 1 }, ['$.toString: expected 1, but nothing is there']],
    ['a plain value', 7, [`$: expected 7, found ${JSON.stringify(RESULT)}`]],
  ])('Q111: expects %s (reading o)', (_what, expected, failures) => {
    expect(judge({ name: 't', input: {}, expected, assertions: [] }, RESULT, jsonPath)).toEqual(failures)
  })

  it.each<[Assertion, string[]]>([
    [{ path: '$.status', equals: 'ok' }, []],
    [{ path: '$.status', equals: 'no' }, ['$.status: expected "no", found "ok"']],
    [{ path: '$.none', equals: null }, []],
    [{ path: '$.gone', equals: null }, ['$.gone: expected null, but nothing is there']],
    [{ path: '$.list', equals: [1, { b: 3, a: 2 }] }, []],
    [{ path: '$.list', equals: [1, { a: 2 }] }, ['$.list: expected [1,{"a":2}], found [1,{"a":2,"b":3}]']],
    [{ path: '$.list[*]', equals: 1 }, ['$.list[*]: equals needs one value, but the path selects 2']],
    [{ path: '$.status', notEquals: 'no' }, []],
    [{ path: '$.status', notEquals: 'ok' }, ['$.status: expected anything but "ok"']],
    [{ path: '$.gone', notEquals: 'ok' }, []],
    [{ path: '$.none', exists: true }, []],
    [{ path: '$.gone', exists: true }, ['$.gone: expected something, but nothing is there']],
    [{ path: '$.gone', exists: false }, []],
    [{ path: '$.none', exists: false }, ['$.none: expected nothing, found null']],
    [{ path: '$.gone', notExists: true }, []],
    [{ path: '$.status', notExists: true }, ['$.status: expected nothing, found "ok"']],
    [{ path: '$.status', notExists: false }, []],
    [
      { path: '$.status', equals: 'ok', notEquals: 'ok', exists: false },
      ['$.status: expected anything but "ok"', '$.status: expected nothing, found "ok"'],
    ],
  ])('Q109: %j gives %j', (assertion, failures) => {
    expect(judge({ name: 't', input: {}, assertions: [assertion] }, RESULT, jsonPath)).toEqual(failures)
  })

  it('Q111: every value contains itself', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const expected = JSON.parse(JSON.stringify(value)) as Json
        expect(judge({ name: 't', input: {}, expected, assertions: [] }, expected, jsonPath)).toEqual([])
        const same = { name: 't', input: {}, assertions: [{ path: '$', equals: expected }] }
        expect(judge(same, structuredClone(expected), jsonPath)).toEqual([])
      }),
    )
  })
})
