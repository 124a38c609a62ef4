import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema, Tool } from '../model/index.ts'
import { safeNames } from './export-names.ts'
import { type ExportedTool, exportTools } from './export-tools.ts'

const INPUT: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { message: { $ref: '#/definitions/text' } },
  definitions: { text: { type: 'string' } },
}

function tool(name: string, more: Partial<Tool> = {}): ExportedTool {
  const description = `About ${name}.`
  return {
    name,
    description,
    tool: {
      name,
      version: '1.0.0',
      description,
      origin: { kind: 'loose', file: `/tools/${name}` },
      run: { kind: 'chain', steps: [] },
      digest: name,
      ...more,
    },
  }
}

describe('exportTools', () => {
  const tools = [tool('plain'), tool('demo.echo', { title: 'Echo', inputSchema: INPUT, outputSchema: {} })]

  it('Q106: mcp is what a server lists, by name', () => {
    const { tools: listed } = JSON.parse(exportTools(tools, 'mcp'))
    expect(listed).toEqual([
      {
        name: 'demo.echo',
        title: 'Echo',
        description: 'About demo.echo.',
        inputSchema: INPUT,
        outputSchema: {},
      },
      {
        name: 'plain',
        description: 'About plain.',
        inputSchema: expect.objectContaining({ type: 'object' }),
      },
    ])
  })

  it('Q106: the formats of model APIs have names without dots', () => {
    const { $schema: _draft, ...parameters } = INPUT
    expect(JSON.parse(exportTools(tools, 'openai'))[0]).toEqual({
      type: 'function',
      function: { name: 'demo_echo', description: 'About demo.echo.', parameters },
    })
    expect(JSON.parse(exportTools(tools, 'anthropic'))[0]).toEqual({
      name: 'demo_echo',
      description: 'About demo.echo.',
      input_schema: parameters,
    })
  })

  it('json-schema is one schema for every call', () => {
    const schema = JSON.parse(exportTools(tools, 'json-schema'))
    expect(schema.oneOf).toEqual([{ $ref: '#/$defs/demo.echo' }, { $ref: '#/$defs/plain' }])
    expect(schema.$defs['demo.echo']).toMatchObject({
      properties: { name: { const: 'demo.echo' }, arguments: { $id: 'urn:orla:tool:demo.echo', ...INPUT } },
    })
  })

  it('the same tools give the same text, in whatever order they come', () => {
    for (const format of ['mcp', 'openai', 'anthropic', 'json-schema'] as const) {
      expect(exportTools([...tools].reverse(), format)).toBe(exportTools(tools, format))
    }
  })

  it('refuses two tools that would have one name', () => {
    expect(() => exportTools([tool('a.b'), tool('a_b')], 'openai')).toThrow(
      '`a.b` and `a_b` would both be called `a_b`',
    )
    expect(() => exportTools([tool('a.b'), tool('a_b')], 'mcp')).not.toThrow()
  })
})

it('safe names fit and tell tools apart', () => {
  const toolName = fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/)
  fc.assert(
    fc.property(fc.uniqueArray(toolName), (names) => {
      let safe: ReadonlyMap<string, string>
      try {
        safe = safeNames(names)
      } catch {
        return // a collision, refused
      }
      expect(new Set(safe.values()).size).toBe(names.length)
      for (const name of safe.values()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    }),
  )
  const long = 'x'.repeat(100)
  expect(safeNames([`${long}a`, `${long}b`]).size).toBe(2)
})
