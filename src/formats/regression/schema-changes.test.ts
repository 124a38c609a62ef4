import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../../model/index.ts'
import { compareSchemas } from './schema-changes.ts'
import { schemaChangeWords } from './what-breaks.ts'

const object = (
  properties: Record<string, Json>,
  required: string[] = [],
  more: JsonSchema = {},
): JsonSchema => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const TEXT = { type: 'string' }

function words(before: JsonSchema, now: JsonSchema, side: 'input' | 'output'): string[] {
  return compareSchemas(before, now, side).map(
    (one) => `${one.breaking ? '! ' : ''}${schemaChangeWords(one)}`,
  )
}

/** Schemas as tools have them, with enough of each keyword that two of them often differ in one. */
const schemas: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema; leaf: JsonSchema }>((tie) => ({
  leaf: fc.oneof(
    fc.record({ type: fc.constantFrom('string', 'integer', 'number', 'boolean') }),
    fc.record({ type: fc.constant('string'), maxLength: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }) }),
    fc.record({ type: fc.constant(['string', 'null']), description: fc.string() }),
  ),
  schema: fc.oneof(
    { maxDepth: 2 },
    tie('leaf'),
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc
      .record({
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('schema')),
        required: fc.subarray(['a', 'b', 'c']),
        additionalProperties: fc.boolean(),
      })
      .map((one): JsonSchema => ({ type: 'object', ...one })),
  ),
})).schema

describe('compareSchemas', () => {
  it('Q127: knows what breaks whoever sends', () => {
    expect(words(object({ a: TEXT }, ['a']), object({ a: TEXT, b: TEXT, c: TEXT }, ['b']), 'input')).toEqual([
      '$.a: required → optional',
      '! $.b is new: string, required',
      '$.c is new: string, optional',
    ])
    expect(words(object({ a: { type: 'integer' } }), object({ a: { type: 'number' } }), 'input')).toEqual([
      '$.a: integer → number',
    ])
    expect(words(object({ a: TEXT, b: TEXT }), object({ a: { type: 'integer' } }, ['a']), 'input')).toEqual([
      '! $.a: optional → required',
      '! $.a: string → integer',
      '! $.b is gone; it was string, optional',
    ])
    expect(words(object({}), object({}, [], { additionalProperties: false }), 'input')).toEqual([
      '! $: no additionalProperties → additionalProperties false',
    ])
  })

  it('Q127: knows what breaks whoever receives', () => {
    expect(
      words(object({ a: TEXT, b: TEXT }, ['a', 'b']), object({ a: TEXT, c: TEXT }, ['c']), 'output'),
    ).toEqual([
      '! $.a: required → optional',
      '! $.b is gone; it was string, required',
      '$.c is new: string, required',
    ])
    const list = (items: JsonSchema) => object({ a: { type: 'array', items } })
    expect(words(list({ enum: ['x'] }), list({ enum: ['x', 'y'] }), 'output')).toEqual([
      '! $.a[*]: "x" → "x", "y"',
    ])
    expect(words(list({ enum: ['x', 'y'] }), list({ enum: ['x'] }), 'output')).toEqual([
      '$.a[*]: "x", "y" → "x"',
    ])
    expect(compareSchemas(object({ a: TEXT }), undefined, 'output').some(({ breaking }) => breaking)).toBe(
      true,
    )
    expect(compareSchemas(undefined, object({ a: TEXT }), 'output').some(({ breaking }) => breaking)).toBe(
      false,
    )
  })

  it('counts what it cannot judge as breaking, and words for readers as nothing', () => {
    expect(words({ anyOf: [TEXT] }, { anyOf: [{ type: 'null' }] }, 'input')[0]).toMatch(/^! \$: anyOf/)
    expect(words({ ...TEXT, description: 'a' }, { ...TEXT, description: 'b' }, 'output')).toEqual([
      '$: description "a" → description "b"',
    ])
  })

  it('finds nothing between a schema and itself, whatever order its keys have', () => {
    fc.assert(
      fc.property(schemas, (one) => {
        const turned = Object.fromEntries(Object.entries(one).reverse())
        expect(compareSchemas(one, turned, 'input')).toEqual([])
        expect(compareSchemas(one, turned, 'output')).toEqual([])
      }),
    )
  })

  it('names the same places from either side: what narrows one way widens the other', () => {
    fc.assert(
      fc.property(schemas, schemas, (a, b) => {
        const there = compareSchemas(a, b, 'input')
        const back = compareSchemas(b, a, 'input')
        expect(back.map(({ path }) => path)).toEqual(there.map(({ path }) => path))
        expect(back.map(({ before, now }) => [now, before])).toEqual(
          there.map(({ before, now }) => [before, now]),
        )
        for (const [index, one] of there.entries()) {
          if (one.change === 'added' || one.change === 'removed') continue
          expect([back[index]?.widens, back[index]?.narrows]).toEqual([one.narrows, one.widens])
        }
      }),
    )
  })

  it('another key of an input breaks exactly when it is required; of an output never', () => {
    const maps = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schemas, { maxKeys: 3 })
    fc.assert(
      fc.property(maps, schemas, fc.boolean(), (properties, added, isNeeded) => {
        const before = object(properties)
        const now = object({ ...properties, extra: added }, isNeeded ? ['extra'] : [])
        expect(compareSchemas(before, now, 'input').some(({ breaking }) => breaking)).toBe(isNeeded)
        expect(compareSchemas(before, now, 'output').some(({ breaking }) => breaking)).toBe(false)
        expect(compareSchemas(now, before, 'output').some(({ breaking }) => breaking)).toBe(true)
      }),
    )
  })
})
