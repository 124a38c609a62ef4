import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Json, JsonSchema } from '../model/index.ts'
import { loadSchemaKit, validateInput, validateOutput } from './validate.ts'

const FILE: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    mode: { type: 'string', enum: ['r', 'w'], default: 'r' },
    size: { type: 'integer', minimum: 1 },
    filter: {
      type: 'object',
      properties: { names: { type: 'array', items: { type: 'string' } } },
      required: ['names'],
    },
  },
  required: ['path'],
  additionalProperties: false,
}

describe('validateInput', () => {
  it('fills in defaults, on a copy', async () => {
    const given = { path: 'x' }
    expect(await validateInput(FILE, given)).toEqual({ kind: 'fits', value: { path: 'x', mode: 'r' } })
    expect(given).toEqual({ path: 'x' })
  })

  it('names every problem in words', async () => {
    const given = { pth: 'x', mode: 'q', size: 0, filter: { names: ['a', 1] } }
    expect(await problems(FILE, given)).toEqual([
      'missing `path`',
      'unknown `pth` (did you mean `path`?)',
      '`mode` must be one of "r", "w"',
      '`size` must be at least 1',
      '`filter.names[1]` must be string',
    ])
    expect(await problems(FILE, { path: 5, filter: {} })).toEqual([
      '`path` must be string',
      'missing `filter.names`',
    ])
    expect(await problems(FILE, 'text')).toEqual(['the whole of the arguments must be object'])
    expect(
      await problems(
        { properties: { a: { type: ['string', 'null'] }, b: { const: 1 }, c: false } },
        { a: 1, b: 2, c: 3 },
      ),
    ).toEqual(['`a` must be string or null', '`b` must be 1', '`c` is not allowed'])
  })

  it('lists at most twenty', async () => {
    const found = await problems(
      { items: { type: 'string' } },
      Array.from({ length: 25 }, () => 1),
    )
    expect(found).toHaveLength(21)
    expect(found.at(-1)).toBe('and 5 more')
  })

  it('does not take what every object inherits for an argument', async () => {
    expect(await problems({ required: ['toString', 'constructor'] }, {})).toEqual([
      'missing `toString`',
      'missing `constructor`',
    ])
  })

  it('checks formats', async () => {
    expect(await problems({ properties: { at: { format: 'date-time' } } }, { at: 'noon' })).toEqual([
      '`at` does not have the format date-time',
    ])
    expect(await problems({ properties: { at: { format: 'of-my-own' } } }, { at: 'noon' })).toEqual([])
  })

  it('reads draft 2020-12, and draft-07 when the schema says so', async () => {
    const pair = { prefixItems: [{ type: 'string' }], items: false }
    expect(await problems(pair, [1])).toEqual(['`0` must be string'])
    const old = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      items: [{ type: 'string' }],
      additionalItems: false,
    }
    expect(await problems(old, [1])).toEqual(['`0` must be string'])
    expect(await problems(old, ['a', 2])).toEqual(['the whole of the arguments must have at most 1 element'])
    expect(await problems({ $schema: 'https://example.com/own', type: 'object' }, {})).toEqual([])
  })

  it('two schemas may share an `$id`, and take that of a built-in one', async () => {
    const named = (type: string): JsonSchema => ({
      $id: 'https://example.com/s',
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: { type } },
    })
    expect(await problems(named('string'), { a: 1 })).toEqual(['`a` must be string'])
    expect(await problems(named('number'), { a: 'x' })).toEqual(['`a` must be number'])
    await validateInput({ $id: 'https://json-schema.org/draft/2020-12/schema', type: 'object' }, {})
    expect(await problems({ type: 'object' }, {})).toEqual([])
  })

  it('says what is wrong with a schema that cannot be used', async () => {
    expect(await validateInput({ type: 'strin' }, {})).toEqual({
      kind: 'bad-schema',
      problem: expect.stringContaining('type'),
    })
    expect(await validateInput({ properties: { a: { pattern: '[' } } }, {})).toMatchObject({
      kind: 'bad-schema',
    })
    expect(await validateInput({ $ref: '#/$defs/gone' }, {})).toEqual({
      kind: 'bad-schema',
      problem: expect.stringContaining('`#/$defs/gone`'),
    })
  })

  it('never fetches a reference', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.end('{}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // A listening TCP server has an address with a port.
    const { port } = server.address() as AddressInfo
    const $ref = `http://127.0.0.1:${port}/schema.json`
    expect(await validateInput({ $ref }, {})).toEqual({
      kind: 'bad-schema',
      problem: expect.stringContaining($ref),
    })
    await new Promise((resolve) => server.close(resolve))
    expect(asked).toBe(0)
  })

  it('compiles a schema once', async () => {
    let reads = 0
    const schema: JsonSchema = Object.defineProperty({ type: 'object' }, 'properties', {
      enumerable: true,
      get: () => {
        reads++
        return {}
      },
    })
    await validateInput(schema, {})
    const first = reads
    await validateInput(schema, {})
    expect(reads).toBe(first)
  })

  it('follows a schema that refers to itself, and gives up on what is too deep', async () => {
    for (const root of ['#', 'https://example.com/tree']) {
      const schema: JsonSchema = {
        $id: 'https://example.com/tree',
        type: 'object',
        properties: { child: { $ref: root } },
        additionalProperties: false,
      }
      expect(await problems(schema, { child: { child: {} } })).toEqual([])
      expect(await problems(schema, { child: { other: 1 } })).toEqual(['unknown `child.other`'])
      let deep: Json = {}
      for (let level = 0; level < 100_000; level++) deep = { child: deep }
      expect((await validateOutput(schema, deep)).kind).toBe('misfit')
    }
    // Another tool may use the same name for something else.
    expect(await problems({ $id: 'https://example.com/tree', type: 'object' }, { other: 1 })).toEqual([])
  })
})

describe('validateOutput', () => {
  it('points into the document and changes nothing', async () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        'a/b': { type: 'array', items: { type: 'object', required: ['id'] } },
        extra: { default: 1 },
      },
    }
    expect(await validateOutput(schema, { 'a/b': [{ id: 1 }, {}] })).toEqual({
      kind: 'misfit',
      problems: ['missing `/a~1b/1/id`'],
    })
    expect(await validateOutput(schema, {})).toEqual({ kind: 'fits', value: {} })
    expect(await validateOutput(schema, 1)).toEqual({
      kind: 'misfit',
      problems: ['the whole output must be object'],
    })
  })
})

describe('the schema kit', async () => {
  const kit = await loadSchemaKit()

  it('Q105: tells a JSON Schema from what is none, in both drafts', () => {
    expect(kit.check({ type: 'object' })).toEqual([])
    expect(kit.check({ type: 'strin' })).toEqual([expect.stringContaining('type')])
    const tuple = { items: [{ type: 'string' }] }
    expect(kit.check({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple })).toEqual([])
    expect(kit.check(tuple)).toEqual([expect.stringContaining('items')])
  })

  it.each<[JsonSchema, string]>([
    [
      { type: 'objekt' },
      '`/type` must be one of "array", "boolean", "integer", "null", "number", "object", "string"',
    ],
    [{ properties: [] }, '`/properties` must be object'],
    [{ properties: { a: { minLength: -1 } } }, '`/properties/a/minLength` must be at least 0'],
    [{ patternProperties: { '(': {} } }, '"(" is not a regular expression (unterminated group)'],
    [{ enum: [] }, '`enum` must not be empty'],
    [{ $id: 'a', $defs: { x: { $id: 'a' } } }, 'the `$id` "a" stands in it twice'],
  ])('Q105: says what is wrong with %j', (schema, words) => {
    expect(kit.check(schema)).toEqual([words])
  })

  it('tells every way in which a value does not fit', () => {
    const schema: JsonSchema = { type: 'object', properties: { a: { type: 'string' } }, required: ['b'] }
    expect(kit.validate(schema, { b: 1 })).toEqual([])
    expect(kit.validate(schema, { a: 1 })).toEqual(['missing `/b`', '`/a` must be string'])
    expect(kit.validate(schema, null)).toEqual(['the value must be object'])
  })
})

async function problems(schema: JsonSchema, value: Json): Promise<readonly string[]> {
  const validation = await validateInput(schema, value)
  if (validation.kind === 'bad-schema') throw new Error(validation.problem)
  return validation.kind === 'misfit' ? validation.problems : []
}

it('a pattern that would run for hours takes no time, and patterns mean what they mean', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
  const begun = performance.now()
  expect(await validateInput(schema, { a: `${'a'.repeat(50)}!` })).toMatchObject({ kind: 'misfit' })
  expect(performance.now() - begun).toBeLessThan(5_000)
  expect(await validateInput(schema, { a: 'aaa' })).toMatchObject({ kind: 'fits' })
  const named = {
    type: 'object',
    patternProperties: { '^x-': { type: 'number' } },
    additionalProperties: false,
  }
  expect(await validateInput(named, { 'x-1': 1 })).toMatchObject({ kind: 'fits' })
  expect(await validateInput(named, { y: 1 })).toMatchObject({ kind: 'misfit' })
  const ahead = { type: 'object', properties: { a: { type: 'string', pattern: '^(?!b).' } } }
  expect(await validateInput(ahead, { a: 'b' })).toMatchObject({ kind: 'misfit' })
})
