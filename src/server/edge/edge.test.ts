import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Catalog } from '../../model/index.ts'
import { type Listening, listenHttp, type ServerDeps, serveStdio } from '../index.ts'
import {
  ask,
  EDGES,
  type FakeDeps,
  fakeCatalog,
  fakeDeps,
  printed,
  raw,
  settings,
  until,
} from '../test-kit.ts'
import { createPulse } from './pulse.ts'

let server: Listening
let deps: FakeDeps & Pick<ServerDeps, 'onHoldersChanged'>
let lettingGo = 0
afterEach(() => server?.close())

const HEAD = ['POST /mcp HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']

function post(body: object, ...headers: string[]): string {
  const json = JSON.stringify(body)
  const lines = [...HEAD, 'Accept: application/json, text/event-stream', ...headers]
  return `${[...lines, `Content-Length: ${Buffer.byteLength(json)}`].join('\r\n')}\r\n\r\n${json}`
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } },
}
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } }

function prepare(...tools: string[]): void {
  lettingGo = 0
  deps = Object.assign(
    fakeDeps(fakeCatalog(...tools), async ({ progress }) => {
      progress?.({ progress: 1 })
      return printed('hi')
    }),
    { onHoldersChanged: () => void lettingGo++ },
  )
}

async function start(edge: 'own' | 'sdk' = 'own'): Promise<void> {
  prepare('echo')
  server = await listenHttp(deps, settings({ edge }))
}

async function openSession(): Promise<string> {
  const { text } = await ask(server.port, post(INITIALIZE))
  return `Mcp-Session-Id: ${/mcp-session-id: (\S+)/i.exec(text)?.[1]}`
}

describe('a hot request within a session', () => {
  it('is answered with JSON, without a stream to be opened', async () => {
    await start()
    const session = await openSession()
    for (const message of [LIST, CALL, { jsonrpc: '2.0', id: 3, method: 'ping' }]) {
      const { status, text } = await ask(server.port, post(message, session))
      expect(status).toBe(200)
      expect(text).toMatch(/^content-type: application\/json\r$/im)
      expect(text).toMatch(new RegExp(`^${session}\r$`, 'im'))
      expect(text).toContain(`"id":${message.id}`)
    }
  })

  it('becomes a stream when there is progress to be told', async () => {
    await start()
    const body = { ...CALL, params: { ...CALL.params, _meta: { progressToken: 'p' } } }
    const { received } = await raw(server.port, post(body, await openSession()))
    await until(() => received().endsWith('0\r\n\r\n'), 'the end')
    expect(received()).toMatch(/^content-type: text\/event-stream\r$/im)
    expect(received()).toMatch(/"progressToken":"p","progress":1[\s\S]*"result"/)
  })

  it('goes to the SDK when that is wanted', async () => {
    await start('sdk')
    const { text } = await ask(server.port, post(CALL, await openSession()))
    expect(text).toMatch(/^content-type: text\/event-stream\r$/im)
  })

  it('is as bad as elsewhere without the right to it', async () => {
    await start()
    const session = await openSession()
    expect(
      (await ask(server.port, post(CALL, session).replace('Host: localhost', 'Host: evil'))).status,
    ).toBe(403)
    expect((await ask(server.port, post(CALL, 'Mcp-Session-Id: made-up'))).status).toBe(404)
    const noEvents = post(CALL, session).replace(', text/event-stream', '')
    expect((await ask(server.port, noEvents)).status).toBe(406)
  })
})

describe.each(EDGES)('Q28: catalogs that are still held, edge: %s', (edge) => {
  it('by sessions, until they list again or end', async () => {
    await start(edge)
    const [first, second] = [await openSession(), await openSession()]
    const old = deps.current
    for (const session of [first, second]) await ask(server.port, post(LIST, session))
    expect(server.held()).toEqual([])
    deps.current = fakeCatalog('echo', 'new')
    expect(server.held()).toEqual<Catalog[]>([old])
    expect(lettingGo).toBe(0)
    await ask(server.port, post(LIST, first))
    await until(() => lettingGo === 1, 'the first to let go')
    expect(server.held()).toEqual([old])
    await ask(server.port, post(LIST, second).replace('POST', 'DELETE'))
    await until(() => lettingGo === 2, 'the second to leave')
    expect(server.held()).toEqual([])
  })

  it('over stdio, until the client lists again or leaves', async () => {
    prepare('echo')
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    let answers = 0
    stdout.on('data', (chunk: Buffer) => {
      answers += chunk.toString().split('\n').length - 1
    })
    const stdio = serveStdio(deps, { stdin, stdout }, { edge })
    const send = async (message: object) => {
      const before = answers
      stdin.write(`${JSON.stringify(message)}\n`)
      await until(() => answers > before, 'the answer')
    }
    await send(INITIALIZE)
    await send(LIST)
    const old = deps.current
    deps.current = fakeCatalog('new')
    expect(stdio.held()).toEqual([old])
    await send(LIST)
    expect(stdio.held()).toEqual([])
    expect(lettingGo).toBe(1)
    deps.current = fakeCatalog('newer')
    expect(stdio.held()).toHaveLength(1)
    await stdio.close()
    await stdio.ended
    await until(() => lettingGo === 2, 'the client to leave')
    expect(stdio.held()).toEqual([])
  })
})

describe('the pulse', () => {
  it('wakes who waits long, nobody else, and rests when nobody waits', () => {
    vi.useFakeTimers()
    const pulse = createPulse(1_000)
    let beats = 0
    const member = { beat: () => void beats++ }
    pulse.join(member)
    vi.advanceTimersByTime(1_000)
    expect(beats).toBe(0)
    vi.advanceTimersByTime(2_000)
    expect(beats).toBe(2)
    pulse.leave(member)
    vi.advanceTimersByTime(5_000)
    expect(beats).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})
