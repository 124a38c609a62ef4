import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../model/index.ts'
import { mergeShapes, type OutputShape, shapeOf, shapeWords } from './output-shape.ts'
import { compareShapes, shapeChangeWords } from './shape-changes.ts'

// fast-check promises JSON, which is what the type says.
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
const shape = fc
  .array(json, { minLength: 1, maxLength: 4 })
  .map((all) => mergeShapes(all.map((one) => shapeOf(one))))
const words = (before: Json, now: Json) => compareShapes(shapeOf(before), shapeOf(now)).map(shapeChangeWords)
const breaks = (before: OutputShape, now: OutputShape) =>
  compareShapes(before, now).some((one) => one.breaking)

describe('shapeOf', () => {
  it('Q127: has types and keys, and no values', () => {
    const value = { name: 'Ada', tags: ['a', null], at: { x: 1, y: 2.5 }, ok: true, none: [] }
    expect(shapeWords(shapeOf(value))).toBe(
      '{at: {x: number, y: number}, name: string, none: array, ok: boolean, tags: (null | string)[]}',
    )
    expect(shapeOf({ a: 1, b: 2 })).toEqual(shapeOf({ b: 7, a: 9 }))
  })

  it('stops where a value is too deep or too wide', () => {
    let deep: Json = 1
    for (let level = 0; level < 5_000; level++) deep = [deep]
    expect(compareShapes(shapeOf(deep), shapeOf(deep))).toEqual([])
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index]))
    expect(shapeOf(wide)).toEqual({ types: ['object'], open: true })
  })

  it('learns from several results which keys are optional', () => {
    const learned = mergeShapes([shapeOf({ a: 1 }), shapeOf({ a: 2, b: 'x' }), shapeOf({ a: null })])
    expect(shapeWords(learned)).toBe('{a: null | number, b?: string}')
    expect(breaks(learned, shapeOf({ a: 1 }))).toBe(false)
  })

  it('takes keys that every object has for ordinary keys', () => {
    const value = JSON.parse('{"__proto__": 1, "constructor": "x"}') as Json
    expect(words(value, {})).toEqual([
      '$.__proto__ is gone; it was number',
      '$.constructor is gone; it was string',
    ])
  })
})

describe('compareShapes', () => {
  it('Q127: says what a caller would miss', () => {
    expect(words({ a: 1, b: 'x' }, { a: '1', c: [1] })).toEqual([
      '$.a was number, is string',
      '$.b is gone; it was string',
      '$.c is new: number[]',
    ])
    expect(words([{ id: 1 }], [{ id: 1 }, { name: 'x' }])).toEqual([
      '$[*].id is not always there any more',
      '$[*].name is new: string',
    ])
  })

  it('the same on both sides is no change', () => {
    fc.assert(fc.property(shape, (one) => compareShapes(one, one).length === 0))
  })

  it('names the same places from either side, with before and now exchanged', () => {
    const mirrored = { added: 'removed', removed: 'added', type: 'type', presence: 'presence' } as const
    fc.assert(
      fc.property(shape, shape, (a, b) => {
        const there = compareShapes(a, b).map(({ path, change, before, now }) => ({
          path,
          change,
          before,
          now,
        }))
        const back = compareShapes(b, a).map(({ path, change, before, now }) => ({
          path,
          change: mirrored[change],
          before: now,
          now: before,
        }))
        expect(back).toEqual(there)
      }),
    )
  })

  it('what was seen among others breaks nobody', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        expect(breaks(mergeShapes([shapeOf(a), shapeOf(b)]), shapeOf(a))).toBe(false)
      }),
    )
  })

  it('another key never breaks, a key less always does', () => {
    const maps = fc.dictionary(fc.string(), json, { maxKeys: 6 })
    fc.assert(
      fc.property(maps, fc.string(), json, (map, key, value) => {
        fc.pre(!Object.hasOwn(map, key) && isJsonObject(map))
        const more = Object.fromEntries([...Object.entries(map), [key, value]])
        expect(breaks(shapeOf(map), shapeOf(more))).toBe(false)
        expect(breaks(shapeOf(more), shapeOf(map))).toBe(true)
      }),
    )
  })

  it('merging knows no order', () => {
    fc.assert(
      fc.property(shape, shape, (a, b) => {
        expect(mergeShapes([a, b])).toEqual(mergeShapes([b, a]))
        expect(mergeShapes([a, a])).toEqual(a)
      }),
    )
  })
})
