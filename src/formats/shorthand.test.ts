import { describe, expect, it } from 'vitest'
import type { Issue } from './shape.ts'
import { expandSchema } from './shorthand.ts'

function expand(value: unknown) {
  const issues: Issue[] = []
  return { schema: expandSchema(value, ['mcp', 'input_schema'], issues), issues }
}

describe('Q42: schemas may be short or whole (reading h)', () => {
  it('expands shorthand to an object with optional properties', () => {
    expect(expand({ path: 'string', depth: 'integer', names: 'string[]', mode: 'read|write' })).toEqual({
      schema: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          depth: { type: 'integer' },
          names: { type: 'array', items: { type: 'string' } },
          mode: { type: 'string', enum: ['read', 'write'] },
        },
      },
      issues: [],
    })
  })

  it('expands what is nested, and keeps whole schemas of single properties', () => {
    const { schema } = expand({
      options: { loud: 'boolean', more: { deep: 'number' } },
      path: { type: 'string', description: 'where' },
      anything: {},
    })
    expect(schema?.properties).toEqual({
      options: {
        type: 'object',
        properties: {
          loud: { type: 'boolean' },
          more: { type: 'object', properties: { deep: { type: 'number' } } },
        },
      },
      path: { type: 'string', description: 'where' },
      anything: {},
    })
  })

  it.each([
    [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
    [{ type: 'array', items: { type: 'string' } }],
    [{ $ref: '#/$defs/x', $defs: { x: { type: 'object' } } }],
    [{ type: ['object', 'null'] }],
  ])('leaves JSON Schema as it is: %j', (schema) => {
    expect(expand(schema)).toEqual({ schema, issues: [] })
  })

  it('says `object` where JSON Schema left it out', () => {
    expect(expand({ properties: { a: {} } }).schema).toEqual({ type: 'object', properties: { a: {} } })
    expect(expand({ additionalProperties: false }).schema).toEqual({
      type: 'object',
      additionalProperties: false,
    })
  })

  it('takes property names that are also words of JSON Schema', () => {
    expect(expand({ type: 'string', title: 'string', items: 'string[]' }).schema).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string' },
        title: { type: 'string' },
        items: { type: 'array', items: { type: 'string' } },
      },
    })
  })

  it('names the place of what is no type', () => {
    expect(expand({ a: 'strng', b: { c: 3 } }).issues).toEqual([
      {
        path: ['mcp', 'input_schema', 'a'],
        message: 'must be a type, not "strng"',
        hint: 'did you mean a: string?',
      },
      { path: ['mcp', 'input_schema', 'b', 'c'], message: 'must be a type, not 3', hint: expect.any(String) },
    ])
    expect(expand('string')).toEqual({
      schema: undefined,
      issues: [{ path: ['mcp', 'input_schema'], message: 'must be a map of properties or a JSON Schema' }],
    })
  })
})
