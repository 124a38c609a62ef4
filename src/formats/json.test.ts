import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from './json.ts'
import { anyJson, integer, list, object, required, text } from './shape.ts'

const SHAPE = object('m', {
  name: required(text('n')),
  ports: list('p', integer('n', { min: 1, max: 9 })),
})
const read = (source: string) => readJson(source, 'f.json', SHAPE)

describe('reading JSON into a shape', () => {
  it('gives every problem its line, column and pointer', () => {
    const { problems } = read('{\n  "name": 7,\n  "ports": [1, 2,\n    30],\n  "prots": []\n}')
    expect(problems).toEqual([
      {
        file: 'f.json',
        line: 2,
        column: 11,
        pointer: '/name',
        message: '`name` must be text, but reads as a number',
        hint: 'put it in quotes: name: "7"',
        severity: 'error',
      },
      expect.objectContaining({ line: 4, column: 5, pointer: '/ports/2' }),
      expect.objectContaining({ line: 5, column: 3, pointer: '/prots', hint: 'did you mean `ports`?' }),
    ])
  })

  it.each([
    ['a comma too much', '{"name": "a",\n}', 2, 1, 'remove the comma before it'],
    ['single quotes', "{'name': 1}", 1, 2, 'JSON wants double quotes'],
    ['a comment', '{"name": "a" // x\n}', 1, 14, 'JSON has no comments'],
    ['a merge conflict', '{\n<<<<<<< ours\n', 2, 1, 'resolve the merge conflict first'],
    ['an early end', '{"name": "a"', 1, 13, undefined],
    ['nothing', ' \n', 2, 1, undefined],
  ])('refuses %s at its place', (_what, source, line, column, hint) => {
    const { value, problems } = read(source)
    expect(value).toBeUndefined()
    expect(problems).toEqual([expect.objectContaining({ line, column, pointer: '' })])
    expect(problems[0]?.hint).toBe(hint)
  })

  it('refuses a key that stands twice, also behind an escape', () => {
    expect(read('{"name": "a",\n "na\\u006de": "b"}').problems).toEqual([
      expect.objectContaining({ line: 2, column: 2, message: 'the same key stands twice' }),
    ])
  })

  it('refuses what is deep or huge, in time', () => {
    const any = (source: string) => readJson(source, 'f', anyJson('x'))
    expect(any('['.repeat(100_000) + ']'.repeat(100_000)).problems[0]?.message).toMatch(/nested/)
    expect(any('['.repeat(1_000_000)).problems).toHaveLength(1)
    expect(any(`"${'x'.repeat(5_000_000)}"`).problems[0]?.message).toMatch(/4 MiB/)
    expect(any(`["${'\\n'.repeat(500_000)}", "${'x'.repeat(2_000_000)}"]`).problems).toEqual([])
  })

  it('reads all JSON as JSON.parse does, and finds every place', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (source) => {
        const { value, problems, problemAt } = readJson(source, 'f', anyJson('x'), { ownWords: true })
        expect(problems).toEqual([])
        expect(value).toEqual(JSON.parse(source))
        expect(problemAt(['a', 0, '~/'], { message: 'x' }).line).toBeGreaterThan(0)
      }),
    )
  })
})
