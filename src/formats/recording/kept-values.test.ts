import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../model/index.ts'
import { formatCallRecord, parseCallRecord } from './call-record.ts'
import { hashOf, type Keeping, keepArgument, keepOutput } from './kept-values.ts'

const keeping = (more: Partial<Keeping> = {}): Keeping => ({
  hash: (text) => `#${text}`,
  isSecret: (text) => text.includes('hunter22'),
  withValues: false,
  ...more,
})
const paths = (output: Json) => keepOutput(output, keeping()).map(({ path }) => path)

describe('what is kept of a value', () => {
  it('Q122: every part that says something, by its path', () => {
    expect(paths({ id: 'customer-7', n: 3, ok: true, list: ['long enough', 'x'], 'a b': 12345 })).toEqual([
      '$',
      '$.id',
      '$.list',
      '$.list[0]',
      '$["a b"]',
    ])
    expect(paths('a whole text')).toEqual(['$'])
    expect(paths(null)).toEqual([])
  })

  it('Q122: no secret, neither by what it is nor by what it is called', () => {
    const kept = keepOutput(
      { a: { deep: 'has hunter22 in it' }, token: 'abcdefgh', id: 'customer-7' },
      keeping(),
    )
    expect(kept.map(({ path }) => path)).toEqual(['$.id'])
    const hidden = { hash: '', weight: 0, type: 'string' }
    expect(keepArgument('password', 'abcdefgh', keeping({ withValues: true }))).toEqual(hidden)
    expect(keepArgument('text', 'hunter22', keeping({ withValues: true }))).toEqual(hidden)
    expect(keepArgument('header', { Authorization: 'Bearer x' }, keeping())).toMatchObject({ hash: '' })
  })

  it('Q122: values only where they are wanted, and no long ones', () => {
    expect(keepArgument('a', 'customer-7', keeping())).not.toHaveProperty('value')
    expect(keepArgument('a', 'customer-7', keeping({ withValues: true }))).toMatchObject({
      value: 'customer-7',
    })
    expect(keepArgument('a', 'x'.repeat(1000), keeping({ withValues: true }))).not.toHaveProperty('value')
  })

  it('Q122: huge, wide and deep outputs cost little', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 5000 }, (_, index) => [`k${index}`, `value ${index}`]),
    )
    expect(keepOutput(wide, keeping()).length).toBeLessThanOrEqual(256)
    let deep: Json = 'the bottom of it'
    for (let level = 0; level < 5000; level++) deep = { deep }
    expect(keepOutput(deep, keeping())).toEqual([])
  })

  it('Q122: equal values have equal hashes, whatever the order of their keys', () => {
    expect(hashOf({ a: 1, b: [{ c: 2, d: 3 }] }, keeping())).toBe(
      hashOf({ b: [{ d: 3, c: 2 }], a: 1 }, keeping()),
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = hashOf(a as Json, keeping()) === hashOf(b as Json, keeping())
        if (JSON.stringify(a) === JSON.stringify(b)) expect(isSame).toBe(true)
      }),
    )
  })

  it('Q122: a record is read as it was written; anything else is none', () => {
    const record = {
      at: 5,
      who: 'w',
      tool: 't',
      version: '1.0.0',
      input: {
        a: keepArgument('a', 'customer-7', keeping({ withValues: true })),
        ['__proto__']: keepArgument('b', 1, keeping()),
      },
      output: keepOutput({ id: 'customer-12' }, keeping()),
    }
    const line = formatCallRecord(record)
    expect(line).not.toContain('\n')
    expect(formatCallRecord(parseCallRecord(line) ?? record)).toBe(line)
    expect(Object.keys(parseCallRecord(line)?.input ?? {})).toEqual(['a', '__proto__'])
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(parseCallRecord(text)).toBeUndefined()
      }),
    )
    expect(parseCallRecord(line.slice(0, -5))).toBeUndefined()
    expect(
      parseCallRecord('{"v":1,"at":1,"who":"a","tool":"b","version":"1","in":[[1]],"out":[null]}'),
    ).toMatchObject({
      input: {},
      output: [],
    })
  })
})
