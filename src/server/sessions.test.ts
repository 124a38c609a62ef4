import { afterEach, expect, it } from 'vitest'
import type { CallResult } from '../model/index.ts'
import { CatalogServer } from './catalog-server.ts'
import { keptView } from './catalog-view.ts'
import type { Exchange } from './exchange.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { fakeCatalog, fakeDeps, printed, until } from './test-kit.ts'

let sessions: Sessions
let clock = 0
let finish: ((result: CallResult) => void) | undefined
afterEach(() => sessions.close())

const IDLE_MS = 80

function start(limit = 10): void {
  clock = 0
  finish = undefined
  const deps = fakeDeps(
    fakeCatalog('hold'),
    () =>
      new Promise((resolve) => {
        finish = resolve
      }),
  )
  sessions = createSessions({
    limit,
    idleMs: IDLE_MS,
    log: deps.log,
    now: () => clock,
    createServer: (peer) =>
      new CatalogServer(deps, { ...peer, transport: 'http', era: 'legacy', view: keptView(deps.catalog) }),
  })
}

/** One HTTP exchange; `end` is the moment the response has left. */
async function exchange(method: string, session: string | null, body?: object) {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  })
  if (session !== null) headers.set('mcp-session-id', session)
  let end = () => {}
  const facts: Exchange = {
    connection: 'socket-1',
    head: [],
    visitor: {},
    settle() {},
    onDone: (callback) => {
      end = callback
    },
  }
  const request = new Request('http://localhost/mcp', { method, headers })
  const response = await sessions.serve(request, body === undefined ? undefined : { ...body }, facts)
  return { response, end: () => end() }
}

async function open(): Promise<string> {
  const { response, end } = await exchange('POST', null, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } },
  })
  await response.text()
  end()
  return response.headers.get('mcp-session-id') ?? ''
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hold', arguments: {} } }

/** How many sessions are left at this time. */
function leftAt(time: number): number {
  clock = time
  sessions.expire()
  return sessions.size
}

it('a session lives until it was idle for so long', async () => {
  start()
  await open()
  expect(leftAt(IDLE_MS - 1)).toBe(1)
  expect(leftAt(IDLE_MS)).toBe(0)
})

it('use puts the end off', async () => {
  start()
  const id = await open()
  clock = IDLE_MS - 1
  const { end } = await exchange('POST', id, { jsonrpc: '2.0', method: 'notifications/initialized' })
  end()
  expect(leftAt(2 * IDLE_MS - 2)).toBe(1)
  expect(leftAt(2 * IDLE_MS - 1)).toBe(0)
})

it('an open stream keeps it', async () => {
  start()
  const { response, end } = await exchange('GET', await open())
  expect(response.status).toBe(200)
  expect(leftAt(10 * IDLE_MS)).toBe(1)
  await response.body?.cancel()
  end()
  expect(leftAt(20 * IDLE_MS)).toBe(0)
})

it('a running call keeps it, even after its client stopped listening', async () => {
  start()
  const { response, end } = await exchange('POST', await open(), CALL)
  await response.body?.cancel()
  end()
  await until(() => finish !== undefined, 'the call')
  expect(leftAt(10 * IDLE_MS)).toBe(1)
  finish?.(printed('done'))
  await until(() => leftAt(clock + IDLE_MS) === 0, 'its end')
})

it('expires without being asked', async () => {
  start()
  await open()
  clock = IDLE_MS
  await until(() => sessions.size === 0, 'its end')
})

it('at the limit the one idle longest gives way, never one in use', async () => {
  start(2)
  const first = await open()
  clock = 1
  const second = await open()
  clock = 2
  const stream = await exchange('GET', first)
  const third = await open()
  expect((await exchange('POST', second, CALL)).response.status).toBe(404)
  const other = await exchange('GET', third)
  const refused = await exchange('POST', null, { method: 'initialize' })
  expect(refused.response.status).toBe(503)
  expect(refused.response.headers.get('retry-after')).toBe('5')
  expect(sessions.size).toBe(2)
  stream.end()
  other.end()
})

it('ids are unguessable and never alike', async () => {
  start(200)
  const ids = await Promise.all(Array.from({ length: 100 }, open))
  expect(new Set(ids).size).toBe(100)
  for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(24)
})
