import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lightFirst, NotSimple } from '../formats/index.ts'
import type { Json, JsonSchema } from '../model/index.ts'
import { surelyFits } from './plain-fit.ts'
import { isPlainSchema } from './plain-schema.ts'
import { schemaJudges } from './schema-judges.ts'
import { loadSchemaKit } from './validate.ts'

const DRAFTS = [
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
] as const
const TOOL: JsonSchema = {
  $schema: DRAFTS[1],
  type: 'object',
  title: 'Charge',
  description: 'Of a card.',
  properties: {
    amount: { type: 'integer', minimum: 1, maximum: 1_000, default: 5, examples: [1, 2] },
    rate: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    currency: { type: 'string', enum: ['eur', 'usd'], minLength: 3, maxLength: 3 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 },
    card: {
      type: ['object', 'null'],
      properties: { number: { type: 'string' } },
      required: ['number'],
      additionalProperties: false,
    },
    kind: { anyOf: [{ const: 'one' }, { type: 'boolean' }] },
  },
  required: ['amount'],
  additionalProperties: { type: 'string' },
}

describe('what is decided without the library', async () => {
  const kit = await loadSchemaKit()

  it('Q105: is what most tools say of their input', () => {
    expect(isPlainSchema(TOOL)).toBe(true)
    const value = {
      amount: 7,
      rate: 0.5,
      currency: 'eur',
      tags: ['a', 'b'],
      card: { number: '4' },
      kind: false,
      note: 'mine',
    }
    expect(surelyFits(TOOL, value)).toBe(true)
    expect(surelyFits(TOOL, { amount: 1, card: null, kind: 'one' })).toBe(true)
    const wrong: Json[] = [
      {},
      { amount: 0 },
      { amount: 1.5 },
      { amount: 1, rate: 1 },
      { amount: 1, currency: 'sek' },
      { amount: 1, tags: [] },
      { amount: 1, tags: ['a', 1] },
      { amount: 1, card: {} },
      { amount: 1, card: { number: '4', more: 1 } },
      { amount: 1, kind: 1 },
      { amount: 1, note: 1 },
      [],
      null,
    ]
    expect(wrong.filter((one) => surelyFits(TOOL, one))).toEqual([])
  })

  it.each<[string, JsonSchema]>([
    ['a reference', { $ref: '#/$defs/a', $defs: { a: {} } }],
    ['a name', { $id: 'https://example.com/x' }],
    ['a pattern', { pattern: '^a' }],
    ['a format', { format: 'email' }],
    ['a tuple', { items: [{}] }],
    ['an unknown keyword', { 'x-mine': 1 }],
    ['a draft that is named inside', { properties: { a: { $schema: DRAFTS[0] } } }],
    ['a property that changes objects', JSON.parse('{"properties":{"__proto__":{}}}')],
    ['an empty enum', { enum: [] }],
    ['values that have to be compared', { enum: [[1], [1]] }],
    ['a wrong type', { type: 'text' }],
    ['a wrong shape', { properties: [] }],
  ])('leaves %s to it', (_what, schema) => {
    expect(isPlainSchema(schema)).toBe(false)
  })

  it('leaves what is deep to it', () => {
    let schema: JsonSchema = { type: 'string' }
    for (let level = 0; level < 100_000; level++) schema = { items: schema }
    expect(isPlainSchema(schema)).toBe(false)
  })

  it('loads it for the words when something is wrong', async () => {
    const told = (schema: JsonSchema, value: Json) =>
      lightFirst(schemaJudges.light, schemaJudges.load, (schemas) => [
        ...schemas.check(schema),
        ...schemas.validate(schema, value),
      ])
    expect(() => schemaJudges.light.check({ type: 'text' })).toThrow(NotSimple)
    expect(await told(TOOL, { amount: 1 })).toEqual([])
    expect(await told(TOOL, { amount: 0 })).toEqual(['`/amount` must be at least 1'])
    expect(await told({ format: 'email' }, 'none')).toEqual(['the value does not have the format email'])
  })

  it.each(DRAFTS)('property: the library agrees with everything that is decided, %s', ($schema) => {
    let [schemas, values] = [0, 0]
    fc.assert(
      fc.property(anySchema(), fc.array(anyValue(), { maxLength: 8 }), (given, candidates) => {
        const schema = { ...given, $schema }
        if (!isPlainSchema(schema)) return
        schemas++
        expect(kit.check(schema)).toEqual([])
        for (const value of candidates) {
          if (!surelyFits(schema, value)) continue
          values++
          expect(kit.validate(schema, value)).toEqual([])
        }
      }),
      { numRuns: 1_500 },
    )
    expect(schemas).toBeGreaterThan(300)
    expect(values).toBeGreaterThan(300)
  })
})

const NAMES = ['a', 'b', 'toString', 'constructor', '__proto__', 'ä'] as const

/** Few different values, so that schemas and values meet. */
function anyValue(): fc.Arbitrary<Json> {
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(null, true, false, 0, -0, 1, 2, 1.5, -1, 1e21, Number.POSITIVE_INFINITY),
      fc.constantFrom<Json>('', 'a', 'bc', '😀', '\ud83d', 'object'),
      fc.array(tie('value'), { maxLength: 3 }),
      objectOf(tie('value')),
    ),
  }))
  return value
}

/** Parsed, so that every name is a key of its own, as in what comes from outside. */
function objectOf(values: fc.Arbitrary<Json>): fc.Arbitrary<Record<string, Json>> {
  const entry = fc.tuple(fc.constantFrom(...NAMES), values)
  return fc.array(entry, { maxLength: 3 }).map((entries) => {
    const written = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
    return JSON.parse(`{${written.join()}}`)
  })
}

/** Any keyword with a value of its shape, or with any other one. */
function anySchema(): fc.Arbitrary<Record<string, Json>> {
  const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string', 'text')
  const text = fc.constantFrom<Json>('', 'words', 1)
  const flag = fc.constantFrom<Json>(true, false, 0)
  const number = fc.constantFrom<Json>(0, 1, 2, 1.5, -1, '1')
  const name = fc.constantFrom<Json>(...NAMES, 1)
  const { schema } = fc.letrec<{ schema: Record<string, Json>; inner: Json }>((tie) => ({
    inner: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom<Json>(true, true, false, null),
      tie('schema'),
    ),
    schema: fc
      .record<Record<string, Json>>(
        {
          type: fc.oneof(type, fc.array(type, { maxLength: 3 })),
          properties: fc.oneof({ weight: 5, arbitrary: objectOf(tie('inner')) }, fc.constant([])),
          required: fc.array(name, { maxLength: 2 }),
          additionalProperties: tie('inner'),
          items: fc.oneof({ weight: 5, arbitrary: tie('inner') }, fc.array(tie('inner'), { maxLength: 2 })),
          enum: fc.array(anyValue(), { maxLength: 4 }),
          const: anyValue(),
          allOf: fc.array(tie('inner'), { maxLength: 2 }),
          anyOf: fc.array(tie('inner'), { maxLength: 2 }),
          ...Object.fromEntries(['title', 'description', '$comment'].map((key) => [key, text])),
          default: anyValue(),
          examples: fc.oneof(fc.array(anyValue(), { maxLength: 2 }), text),
          ...Object.fromEntries(
            ['deprecated', 'readOnly', 'writeOnly', 'uniqueItems'].map((key) => [key, flag]),
          ),
          ...Object.fromEntries(
            ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((key) => [key, number]),
          ),
          ...Object.fromEntries(
            ['Length', 'Items', 'Properties'].flatMap((key) => [
              [`min${key}`, number],
              [`max${key}`, number],
            ]),
          ),
        },
        { requiredKeys: [] },
      )
      // A few at a time: with all of them nothing would ever fit.
      .chain((all) => fc.subarray(Object.keys(all), { maxLength: 4 }).map((keys) => pick(all, keys))),
  }))
  return schema
}

function pick(all: Record<string, Json>, keys: readonly string[]): Record<string, Json> {
  return Object.fromEntries(keys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])))
}
