import { describe, expect, it } from 'vitest'
import { OPEN_INPUT, type Tool } from '../model/index.ts'
import { handleList, writeList } from './handle-list.ts'
import { fakeCatalog, fakeTool } from './test-kit.ts'
import { wireCatalog } from './wire-tools.ts'

const only = (...args: Parameters<typeof fakeTool>) =>
  wireCatalog(fakeCatalog(fakeTool(...args)), 'raw').tools[0]

describe('a tool as clients see it', () => {
  it('without a declared input is open', () => {
    expect(only('t')).toEqual({ name: 't', description: 'Runs t', inputSchema: OPEN_INPUT })
  })

  it('carries everything it declared', () => {
    const inputSchema = { type: 'object', properties: { x: { type: 'string' } } }
    const outputSchema = { type: 'array' }
    const icons = [{ src: 'data:,' }]
    expect(
      only('t', {
        title: 'T',
        inputSchema,
        outputSchema,
        annotations: { readOnlyHint: true, title: 'x', custom: 1 },
        icons,
        meta: { 'a/b': 1 },
      }),
    ).toEqual({
      name: 't',
      title: 'T',
      description: 'Runs t',
      inputSchema,
      outputSchema,
      annotations: { readOnlyHint: true, title: 'x', custom: 1 },
      icons,
      _meta: { 'a/b': 1 },
    })
  })

  it('never carries what would make a client refuse the whole list', () => {
    expect(
      only('t', {
        inputSchema: { properties: {} },
        annotations: { readOnlyHint: 'yes', title: 5, destructiveHint: false },
        icons: [{ href: 'x' }],
      }),
    ).toEqual({
      name: 't',
      description: 'Runs t',
      inputSchema: { type: 'object', properties: {} },
      annotations: { destructiveHint: false },
    })
  })
})

describe('names', () => {
  it('come in code-point order', () => {
    const { tools } = wireCatalog(fakeCatalog('b', 'a', '_', 'Z', 'a.b', 'a-b', '9'), 'raw')
    expect(tools.map(({ name }) => name)).toEqual(['9', 'Z', '_', 'a', 'a-b', 'a.b', 'b'])
  })

  it('in safe style have no dots, unless two would become one', () => {
    const catalog = fakeCatalog('com.acme.fs', 'a.b', 'a_b', 'x.y_z', 'x_y.z', 'plain')
    const wire = wireCatalog(catalog, 'safe')
    expect(wire.tools.map(({ name }) => name)).toEqual([
      'a.b',
      'a_b',
      'com_acme_fs',
      'plain',
      'x.y_z',
      'x_y.z',
    ])
    expect(['com_acme_fs', 'a.b', 'a_b', 'nobody'].map((name) => wire.catalogName(name))).toEqual([
      'com.acme.fs',
      'a.b',
      'a_b',
      'nobody',
    ])
    expect(wire.inputSchema('com_acme_fs')).toBe(OPEN_INPUT)
    expect(wire.inputSchema('nobody')).toBeUndefined()
  })
})

describe('lists', () => {
  const listed = (...all: readonly (Tool | string)[]) => wireCatalog(fakeCatalog(...all), 'raw').tools
  const fifty = Array.from({ length: 50 }, (_, i) => `tool-${i}`)
  const tools = listed(...fifty)

  it('are one page as long as they fit', () => {
    const page = handleList(tools)
    expect(page.tools).toHaveLength(50)
    expect(page).not.toHaveProperty('nextCursor')
    expect(handleList(tools).tools).toBe(page.tools)
  })

  it('are written as they are said, however much a page holds', () => {
    const json = JSON.stringify(tools)
    const written = tools.map((tool) => ({ name: tool.name, json: JSON.stringify(tool) }))
    const most = Buffer.byteLength(json) - 1
    for (const pageBytes of [1, most - 1, most, most + 1, 1_000_000]) {
      const page = handleList(tools, undefined, pageBytes)
      expect(`${writeList(written, pageBytes)}}`).toBe(JSON.stringify(page))
    }
    expect(writeList([])).toBe('{"tools":[]')
  })

  it('are pages when they do not, each tool once and in order', () => {
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = handleList(tools, cursor, 3_000)
      expect(Buffer.byteLength(JSON.stringify(page.tools))).toBeLessThan(3_100)
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      pages++
    } while (cursor !== undefined)
    expect(pages).toBeGreaterThan(2)
    expect(names).toEqual([...fifty].sort())
  })

  it('go on where they were when the catalog changes between two pages', () => {
    const first = handleList(tools, undefined, 3_000)
    const last = first.tools.at(-1)?.name ?? ''
    const rest = handleList(listed('a', 'tool-0', 'zzz', last), first.nextCursor)
    expect(rest.tools.map(({ name }) => name)).toEqual(['zzz'])
    expect(handleList(listed('a'), first.nextCursor)).toEqual({ tools: [] })
  })

  it('a tool larger than a page has one of its own', () => {
    const big = listed('a', fakeTool('b', { description: 'x'.repeat(5_000) }), 'c')
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = handleList(big, cursor, 1_000)
      sizes.push(page.tools.length)
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([1, 1, 1])
  })

  it('a made-up cursor is an error', () => {
    expect(() => handleList(tools, 'made up')).toThrow(expect.objectContaining({ code: -32602 }))
  })

  it.each([1, 2_000_000])('is written as it would be said, tools of %i letters', (letters) => {
    const tools = ['d', 'a', 'c', 'b'].map((name) => fakeTool(name, { description: 'ü'.repeat(letters) }))
    const wire = wireCatalog(fakeCatalog(...tools), 'raw')
    const page = handleList(wire.tools)
    expect(page.nextCursor === undefined).toBe(letters === 1)
    expect(`${writeList(wire.written())}}` === JSON.stringify(page)).toBe(true)
  })
})
