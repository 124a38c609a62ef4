import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Call, CallResult } from '../model/index.ts'
import type { EdgeChoice } from './contract.ts'
import { type HttpSettings, type Listening, listenHttp } from './index.ts'
import {
  ask,
  EDGES,
  type FakeDeps,
  failed,
  fakeCatalog,
  fakeDeps,
  LIMITS,
  printed,
  type Raw,
  raw,
  settings,
  until,
} from './test-kit.ts'

let server: Listening
let deps: FakeDeps
let calls = 0
let edge: EdgeChoice = 'own'
/** Calls that run until they are told to end. */
const running: { call: Call; finish: (result?: CallResult) => void }[] = []

async function start(more: Partial<HttpSettings>): Promise<void> {
  deps = fakeDeps(fakeCatalog('echo', 'hold', 'big'), async (call) => {
    calls++
    if (call.name === 'echo') return printed('hi')
    if (call.name === 'big') return printed('x'.repeat(7_000_000))
    return new Promise((resolve) => {
      const finish = (result = printed('done')) => resolve(result)
      call.signal.addEventListener('abort', () => finish(failed('cancelled', 'cancelled')))
      running.push({ call, finish })
    })
  })
  server = await listenHttp(deps, settings({ edge, ...more }))
}

beforeEach(() => {
  running.length = 0
  calls = 0
})
afterEach(() => server.close())

const HEAD = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']

function post(body: object, ...headers: string[]): string {
  const json = JSON.stringify(body)
  const lines = [...HEAD, 'Accept: application/json, text/event-stream', ...headers]
  return `${[...lines, `Content-Length: ${json.length}`].join('\r\n')}\r\n\r\n${json}`
}

const initialize = () =>
  post({
    jsonrpc: '2.0',
    id: randomUUID(),
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } },
  })

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

function modernCall(name: string, id = 1): string {
  return post(
    { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {}, _meta: ENVELOPE } },
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    `Mcp-Name: ${name}`,
  )
}

function legacyCall(session: string, name: string, id = 1): string {
  const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } }
  return post(body, `Mcp-Session-Id: ${session}`)
}

async function openSession(): Promise<string> {
  const { text } = await ask(server.port, initialize())
  return /mcp-session-id: (\S+)/i.exec(text)?.[1] ?? ''
}

function listen(session: string): Promise<Raw> {
  const lines = ['GET /mcp HTTP/1.1', 'Host: localhost', 'Accept: text/event-stream']
  return raw(server.port, `${[...lines, `Mcp-Session-Id: ${session}`].join('\r\n')}\r\n\r\n`)
}

describe.each(EDGES)('hot requests answered by: %s', (choice) => {
  beforeEach(() => {
    edge = choice
  })

  it('Q34: calls that wait behind another on a connection end with it, and nothing waits for them', async () => {
    await start({})
    const client = await raw(server.port, [1, 2, 3].map((id) => modernCall('hold', id)).join(''))
    await until(() => running.length === 3, 'the calls')
    client.socket.resetAndDestroy()
    await until(() => running.every(({ call }) => call.signal.aborted), 'the calls to be taken back')
    await server.idle()
    expect(server.stats().connections).toBe(0)
  })

  it('Q34: who asks to go on behind another request is told so before its answer, not within', async () => {
    await start({})
    const eager = modernCall('big', 2).replace('\r\n', '\r\nExpect: 100-continue\r\n')
    const client = await raw(server.port, modernCall('hold') + eager)
    await until(() => calls === 2, 'both calls')
    // The second answer is put together while the first is waited for.
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    running[0]?.finish()
    await until(() => client.received().length > 7_000_000, 'both answers')
    const spoken = client.received().match(/HTTP\/1\.1 \d+|(?<=\r\n\r\n){/g)
    expect(spoken).toEqual(['HTTP/1.1 200', '{', 'HTTP/1.1 100', 'HTTP/1.1 200', '{'])
    client.socket.destroy()
  })

  describe('slow clients are cut while others are served', () => {
    beforeEach(() => start({ headersMs: 800, bodyMs: 400, limits: { ...LIMITS, connections: 4 } }))

    it('headers that never end', async () => {
      const slow = await Promise.all(
        Array.from({ length: 4 }, () => raw(server.port, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n')),
      )
      const drip = setInterval(() => {
        for (const { socket } of slow) if (socket.writable) socket.write('X-A: b\r\n')
      }, 20)
      // Every place is taken: this one waits, and is served once they are cut.
      expect((await ask(server.port, modernCall('echo'))).status).toBe(200)
      await Promise.all(slow.map(({ closed }) => closed))
      clearInterval(drip)
      expect(slow[0]?.received()).toMatch(/^HTTP\/1.1 408/)
      expect(deps.records.filter(({ reason }) => reason === 'slow')).toHaveLength(4)
    })

    it('a connection that says nothing', async () => {
      const silent = await raw(server.port, '')
      await silent.closed
    })

    it('a body that never ends', async () => {
      const slow = await raw(server.port, `${[...HEAD, 'Content-Length: 100'].join('\r\n')}\r\n\r\n{`)
      expect((await ask(server.port, modernCall('echo'))).status).toBe(200)
      await slow.closed
      expect(slow.received()).toMatch(/^HTTP\/1.1 408/)
    })

    it('the second request on a connection', async () => {
      const slow = await raw(server.port, modernCall('echo'))
      await until(() => slow.received().includes('"hi"'), 'the first answer')
      slow.socket.write('POST /mcp HTTP/1.1\r\n')
      await slow.closed
      expect(slow.received()).toContain('HTTP/1.1 408')
    })

    it('a client that does not read its answer', async () => {
      // More answers than the system buffers for a connection.
      const deaf = await raw(server.port, modernCall('big').repeat(5))
      deaf.socket.pause()
      await until(() => deps.records.some(({ cut }) => cut === true), 'the cut')
      expect((await ask(server.port, modernCall('echo'))).status).toBe(200)
      deaf.socket.destroy()
    })
  })

  describe('the gate', () => {
    it('lets connections beyond the limit wait and drops none', async () => {
      await start({ limits: { ...LIMITS, connections: 2 } })
      const clients = await Promise.all(
        Array.from({ length: 7 }, (_, id) => raw(server.port, modernCall('hold', id))),
      )
      await until(() => server.stats().connections === 7, 'all connections')
      for (let answered = 0; answered < 7; answered++) {
        await until(() => running.length > answered, 'the next call')
        expect(server.stats().calls).toBeLessThanOrEqual(2)
        running[answered]?.finish()
      }
      for (const { received } of clients) await until(() => received().includes('"done"'), 'an answer')
      for (const { socket } of clients) socket.destroy()
    })

    it('gives idle connections up for those that wait, and tells busy ones to close', async () => {
      await start({ limits: { ...LIMITS, connections: 1 } })
      const idle = await raw(server.port, modernCall('echo'))
      await until(() => idle.received().includes('"hi"'), 'the answer')
      expect(idle.received()).toMatch(/^connection: keep-alive/im)
      const busy = await raw(server.port, modernCall('hold'))
      await idle.closed
      await until(() => running.length === 1, 'the call')
      const waiting = await raw(server.port, modernCall('echo'))
      await until(() => server.stats().connections === 2, 'the one that waits')
      running[0]?.finish()
      await busy.closed
      expect(busy.received()).toMatch(/^connection: close/im)
      await until(() => waiting.received().includes('"hi"'), 'the answer')
      waiting.socket.destroy()
    })

    it('standing streams of either era take no place', async () => {
      await start({ limits: { ...LIMITS, connections: 1 } })
      const session = await openSession()
      const streams = [await listen(session)]
      await until(() => /^HTTP\/1.1 200/.test(streams[0]?.received() ?? ''), 'the stream')
      const subscribe = {
        jsonrpc: '2.0',
        id: 'sub',
        method: 'subscriptions/listen',
        params: { notifications: { toolsListChanged: true }, _meta: ENVELOPE },
      }
      const headers = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: subscriptions/listen']
      streams.push(await raw(server.port, post(subscribe, ...headers)))
      await until(() => streams[1]?.received().includes('acknowledged') ?? false, 'the subscription')
      expect((await ask(server.port, modernCall('echo'))).status).toBe(200)
      server.toolsChanged()
      for (const { received } of streams)
        await until(() => received().includes('notifications/tools/list_changed'), 'the announcement')
      for (const { socket } of streams) socket.destroy()
    })

    it('survives clients that leave while they wait', async () => {
      await start({ limits: { ...LIMITS, connections: 1 } })
      const busy = await raw(server.port, modernCall('hold'))
      await until(() => running.length === 1, 'the call')
      const waiting = await Promise.all(Array.from({ length: 5 }, () => raw(server.port, modernCall('echo'))))
      await until(() => server.stats().connections === 6, 'all connections')
      for (const { socket } of waiting) socket.resetAndDestroy()
      running[0]?.finish()
      await until(() => busy.received().includes('"done"'), 'the answer')
      busy.socket.destroy()
      expect((await ask(server.port, modernCall('echo'))).status).toBe(200)
      await until(() => server.stats().connections === 0, 'nobody left')
    })
  })

  describe('sessions', () => {
    it('end when nobody used them for a while', async () => {
      await start({ limits: { ...LIMITS, sessionIdleMs: 60 } })
      const session = await openSession()
      await until(() => server.stats().sessions === 0, 'the session to end')
      expect((await ask(server.port, legacyCall(session, 'echo'))).status).toBe(404)
    })

    it('at the limit the longest idle gives way; when all are busy, newcomers are asked to come back', async () => {
      await start({ limits: { ...LIMITS, sessions: 2 } })
      const first = await openSession()
      const second = await openSession()
      expect((await ask(server.port, legacyCall(first, 'echo'))).status).toBe(200)
      const third = await openSession()
      expect((await ask(server.port, legacyCall(second, 'echo'))).status).toBe(404)
      const stream = await listen(first)
      await until(() => /^HTTP\/1.1 200/.test(stream.received()), 'the stream')
      const busy = await raw(server.port, legacyCall(third, 'hold'))
      await until(() => running.length === 1, 'the call')
      const { status, text } = await ask(server.port, initialize())
      expect(status).toBe(503)
      expect(text).toMatch(/^retry-after: \d+/im)
      expect(server.stats()).toMatchObject({ sessions: 2, calls: 1 })
      running[0]?.finish()
      await until(() => busy.received().includes('"done"'), 'the answer')
      busy.socket.destroy()
      stream.socket.destroy()
    })

    it('a thousand at once, each with its stream, are fine', async () => {
      await start({})
      const ids = await Promise.all(Array.from({ length: 1_000 }, openSession))
      expect(new Set(ids).size).toBe(1_000)
      const streams = await Promise.all(ids.map(listen))
      await until(() => streams.every(({ received }) => received().startsWith('HTTP/1.1 200')), 'the streams')
      expect(server.stats().sessions).toBe(1_000)
      const answers = await Promise.all(
        ids.slice(0, 300).map((id) => ask(server.port, legacyCall(id, 'echo'))),
      )
      expect(answers.every(({ status }) => status === 200)).toBe(true)
      server.toolsChanged()
      await until(() => streams.every(({ received }) => received().includes('list_changed')), 'the news')
      for (const { socket } of streams) socket.destroy()
    })
  })

  describe('cancellation', () => {
    beforeEach(() => start({}))

    it('legacy: a closed response stream alone does not cancel', async () => {
      const session = await openSession()
      const client = await raw(server.port, legacyCall(session, 'hold', 5))
      await until(() => running.length === 1, 'the call')
      client.socket.destroy()
      await until(() => deps.records.some(({ cut }) => cut === true), 'the server to notice')
      expect(running[0]?.call.signal.aborted).toBe(false)
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
      expect((await ask(server.port, post(body, `Mcp-Session-Id: ${session}`))).status).toBe(202)
      await until(() => running[0]?.call.signal.aborted === true, 'the abort')
    })

    it('legacy: one call of a batch can be taken back without the others', async () => {
      const session = await openSession()
      const calls = [1, 2].map((id) => ({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'hold', arguments: {} },
      }))
      const client = await raw(server.port, post(calls, `Mcp-Session-Id: ${session}`))
      await until(() => running.length === 2, 'both calls')
      const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
      await ask(server.port, post(body, `Mcp-Session-Id: ${session}`))
      await until(() => running[0]?.call.signal.aborted === true, 'the abort')
      running[1]?.finish()
      await until(() => client.received().includes('"id":2'), 'the other answer')
      client.socket.destroy()
    })

    it('legacy: a batch can take back what was asked alone', async () => {
      const session = await openSession()
      const client = await raw(server.port, legacyCall(session, 'hold', 5))
      await until(() => running.length === 1, 'the call')
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }
      const ping = { jsonrpc: '2.0', id: 6, method: 'ping' }
      expect((await ask(server.port, post([cancel, ping], `Mcp-Session-Id: ${session}`))).status).toBe(200)
      await until(() => running[0]?.call.signal.aborted === true, 'the abort')
      await until(() => client.received().endsWith('0\r\n\r\n'), 'the end of the response')
      expect(client.received()).not.toContain('"result"')
      client.socket.destroy()
    })

    it('modern: closing the connection cancels', async () => {
      const client = await raw(server.port, modernCall('hold'))
      await until(() => running.length === 1, 'the call')
      client.socket.destroy()
      await until(() => running[0]?.call.signal.aborted === true, 'the abort')
      await until(() => server.stats().calls === 0, 'the end of the call')
    })

    it('calls of one connection say so', async () => {
      const one = await raw(server.port, modernCall('hold', 1))
      const other = await raw(server.port, modernCall('hold', 2))
      await until(() => running.length === 2, 'both calls')
      const [first, second] = running.map(({ call }) => call.caller.connection)
      expect(first).not.toBe(second)
      for (const { finish } of running.splice(0)) finish()
      await until(() => one.received().includes('"done"'), 'the answer')
      one.socket.write(modernCall('hold', 3))
      await until(() => running.length === 1, 'the next call')
      expect([first, second]).toContain(running[0]?.call.caller.connection)
      one.socket.destroy()
      other.socket.destroy()
    })
  })

  describe('stopping', () => {
    beforeEach(() => start({}))

    it('first turns newcomers away and lets calls finish', async () => {
      const session = await openSession()
      const idle = await raw(server.port, modernCall('echo'))
      await until(() => idle.received().includes('"hi"'), 'the answer')
      const modern = await raw(server.port, modernCall('hold'))
      const legacy = await raw(server.port, legacyCall(session, 'hold'))
      await until(() => running.length === 2, 'both calls')
      server.stopAccepting()
      await idle.closed
      await expect(raw(server.port, modernCall('echo'))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
      expect(running.some(({ call }) => call.signal.aborted)).toBe(false)
      // A request behind the one in flight, on the same connection.
      modern.socket.write(modernCall('echo', 2))
      for (const { finish } of running) finish()
      for (const { received, closed } of [modern, legacy]) {
        await closed
        expect(received()).toContain('"done"')
        expect(received()).not.toContain('"hi"')
      }
    })

    it('then ends everything', async () => {
      const session = await openSession()
      const stream = await listen(session)
      const modern = await raw(server.port, modernCall('hold'))
      const legacy = await raw(server.port, legacyCall(session, 'hold'))
      await until(() => running.length === 2, 'both calls')
      await server.close()
      expect(running.every(({ call }) => call.signal.aborted)).toBe(true)
      await Promise.all([stream.closed, modern.closed, legacy.closed])
      await until(() => server.stats().calls === 0, 'the calls')
      expect(server.stats()).toEqual({ sessions: 0, connections: 0, calls: 0 })
      await server.close()
    })

    it('waits for nobody who does not read', async () => {
      const deaf = await raw(server.port, modernCall('big').repeat(5))
      deaf.socket.pause()
      await until(() => calls === 5 && server.stats().calls === 0, 'the calls')
      await server.close()
      deaf.socket.destroy()
    })
  })

  it('Q13: one message stays below 8 MB', async () => {
    await start({})
    const { text } = await ask(server.port, modernCall('big'))
    expect(Buffer.byteLength(text)).toBeGreaterThan(7_000_000)
    expect(Buffer.byteLength(text)).toBeLessThan(8_000_000)
    expect(text).toContain('The structured content was left out')
  })
})
