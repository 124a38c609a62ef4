import { PassThrough } from 'node:stream'
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkFor } from '../../../test/check-for.ts'
import type { EdgeChoice } from '../contract.ts'
import { serveStdio } from '../index.ts'
import { EDGES, until } from '../test-kit.ts'
import { differentialDeps, ENVELOPE } from './differential-kit.ts'
import { greetingOf } from './greeting.ts'

const HELLO = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '0' },
}
const initialize = (params: object = HELLO, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params, ...more })
const NOTE = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })
const MARKER = JSON.stringify({ jsonrpc: '2.0', id: 'marker', method: 'tools/list' })

/** All that a server says to these lines, each sent when the one before has been dealt with. */
async function conversation(edge: EdgeChoice, lines: readonly string[]): Promise<string[]> {
  const deps = { ...differentialDeps(), instructions: () => 'Read this.' }
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  let out = ''
  stdout.on('data', (chunk) => {
    out += chunk
  })
  const server = serveStdio(deps, { stdin, stdout }, { edge })
  for (const [index, line] of lines.entries()) {
    stdin.write(`${line}\n${MARKER}\n`)
    await until(() => out.split('"id":"marker"').length > index + 1, 'the marker')
    await server.idle()
  }
  server.toolsChanged()
  stdin.end()
  await server.ended
  return out.split('\n').toSorted()
}

async function expectAlike(lines: readonly string[]): Promise<void> {
  const [own, sdk] = await Promise.all(EDGES.map((edge) => conversation(edge, lines)))
  expect(own).toEqual(sdk)
}

describe('taken: what clients send', () => {
  it.each(SUPPORTED_PROTOCOL_VERSIONS)('%s', async (protocolVersion) => {
    const line = initialize({ ...HELLO, protocolVersion })
    expect(greetingOf(JSON.parse(line))).toEqual({ id: 0, protocolVersion })
    await expectAlike([line, NOTE])
  })

  it.each<[string, object]>([
    [
      'every capability',
      {
        experimental: { 'x/y': { deep: [{ a: null }] } },
        extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } },
        roots: { listChanged: true },
        sampling: { context: {}, tools: {} },
        elicitation: { form: { applyDefaults: true }, url: {} },
        tasks: {
          list: {},
          cancel: {},
          requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
        },
      },
    ],
    ['modes without a name', { roots: {}, sampling: {}, elicitation: {} }],
  ])('%s', async (_name, capabilities) => {
    const line = initialize({ ...HELLO, capabilities })
    expect(greetingOf(JSON.parse(line))).toBeDefined()
    await expectAlike([line, NOTE])
  })

  it('a client with a long name', async () => {
    const icons = [{ src: 'data:', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }]
    const clientInfo = { name: 'é', version: '', title: 'T', description: 'D', websiteUrl: 'W', icons }
    const line = initialize({ ...HELLO, clientInfo, _meta: { progressToken: 1, 'a/b': 2 } }, { id: 'x"y' })
    expect(greetingOf(JSON.parse(line))).toMatchObject({ id: 'x"y' })
    await expectAlike([line, NOTE])
  })
})

describe('left to the SDK', () => {
  it.each([
    initialize({ ...HELLO, protocolVersion: '2026-07-28' }),
    initialize({ ...HELLO, protocolVersion: '1999-01-01' }),
    initialize({ ...HELLO, protocolVersion: '' }),
    initialize({ ...HELLO, protocolVersion: 5 }),
    initialize({ ...HELLO, _meta: ENVELOPE }),
    initialize({ ...HELLO, _meta: null }),
    initialize({ ...HELLO, _meta: { progressToken: {} } }),
    initialize({ ...HELLO, more: 1 }),
    initialize({ ...HELLO, capabilities: { sampling: null } }),
    initialize({ ...HELLO, capabilities: { mine: {} } }),
    initialize({ ...HELLO, capabilities: { roots: { listChanged: 'yes' } } }),
    initialize({ ...HELLO, capabilities: [] }),
    initialize({ ...HELLO, clientInfo: { name: 'x' } }),
    initialize({ ...HELLO, clientInfo: { name: 'x', version: '1', icons: [{}] } }),
    initialize({ protocolVersion: '2025-11-25' }),
    initialize({}),
    initialize(HELLO, { params: undefined }),
    initialize(HELLO, { params: [HELLO] }),
    initialize(HELLO, { id: null }),
    initialize(HELLO, { id: 1.5 }),
    initialize(HELLO, { id: undefined }),
    initialize(HELLO, { jsonrpc: '1.0' }),
    initialize(HELLO, { result: {} }),
    `[${initialize()}]`,
    initialize({ ...HELLO, capabilities: { experimental: { x: { y: 0 } } } }).replace(':0}', ':1e999}'),
    initialize({ ...HELLO, capabilities: { experimental: { x: {} } } }).replace('"x"', '"__proto__"'),
    initialize({ ...HELLO, capabilities: { experimental: { x: 0 } } }).replace(
      ':0}',
      `:${'{"a":'.repeat(50)}0${'}'.repeat(50)}}`,
    ),
    initialize().replace('"capabilities":{}', '"capabilities":{},"__proto__":{}'),
  ])('%s', async (line) => {
    expect(greetingOf(JSON.parse(line))).toBeUndefined()
    await expectAlike([line, NOTE])
  })
})

const anything = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 'text', 0, 1.5, true, [], {}, [1], { form: {} }),
  fc.jsonValue({ maxDepth: 2 }),
)
const places = fc.constantFrom<readonly string[]>(
  ['id'],
  ['method'],
  ['extra'],
  ['params'],
  ['params', 'protocolVersion'],
  ['params', 'capabilities'],
  ['params', 'capabilities', 'elicitation'],
  ['params', 'capabilities', 'sampling'],
  ['params', 'capabilities', 'roots', 'listChanged'],
  ['params', 'capabilities', 'tasks'],
  ['params', 'capabilities', 'experimental'],
  ['params', 'capabilities', 'extensions'],
  ['params', 'capabilities', '__proto__'],
  ['params', 'clientInfo'],
  ['params', 'clientInfo', 'title'],
  ['params', 'clientInfo', 'icons'],
  ['params', '_meta'],
  ['params', '_meta', 'progressToken'],
  ['params', '_meta', 'io.modelcontextprotocol/protocolVersion'],
)
const greetings = fc
  .record({
    version: fc.constantFrom(...SUPPORTED_PROTOCOL_VERSIONS, '2026-07-28', '2027-01-01'),
    id: fc.oneof(fc.nat(), fc.string({ maxLength: 5 })),
    changes: fc.array(fc.tuple(places, anything), { maxLength: 3 }),
  })
  .map(({ version, id, changes }) => {
    const params = { ...structuredClone(HELLO), protocolVersion: version, _meta: {} }
    const message = { jsonrpc: '2.0', id, method: 'initialize', params }
    for (const [place, value] of changes) put(message, place, value)
    return JSON.stringify(message)
  })

function put(target: unknown, [key = '', ...rest]: readonly string[], given: unknown): void {
  if (typeof target !== 'object' || target === null) return
  const isInner = rest.length > 0
  const value = isInner ? (Object.getOwnPropertyDescriptor(target, key)?.value ?? {}) : structuredClone(given)
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  if (isInner) put(value, rest, given)
}

/** What may come before and after it. */
const others = fc.constantFrom(
  NOTE,
  JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping' }),
  JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'prompts/list' }),
  JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'nope' }),
  JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'tools/list', params: { _meta: ENVELOPE } }),
  JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'server/discover', params: { _meta: ENVELOPE } }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }),
  JSON.stringify({ jsonrpc: '2.0', id: 'c', method: 'notifications/cancelled', params: { requestId: 7 } }),
  JSON.stringify({ jsonrpc: '2.0', id: 'p', result: {} }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized', params: { x: 1 } }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }),
)

it('greeted here or by the SDK, a client hears the same, byte for byte, whatever it sends', async () => {
  let taken = 0
  const lines = fc.array(fc.oneof({ weight: 2, arbitrary: greetings }, { weight: 1, arbitrary: others }), {
    minLength: 1,
    maxLength: 4,
  })
  const check = async (all: readonly string[]) => {
    await expectAlike(all)
    if (greetingOf(JSON.parse(all[0] ?? ''))) taken++
  }
  await checkFor(4, lines, check, { until: () => taken > 20, runs: 2_000 })
  expect(taken).toBeGreaterThan(20)
})
