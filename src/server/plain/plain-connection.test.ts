import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Call } from '../../model/index.ts'
import { ENVELOPE } from '../edge/differential-kit.ts'
import { type Listening, listenHttp } from '../index.ts'
import { type FakeDeps, failed, fakeCatalog, fakeDeps, printed, raw, settings, until } from '../test-kit.ts'

let server: Listening
let deps: FakeDeps
/** Calls that run until they are told to end. */
let running: { readonly call: Call; finish(): void }[] = []
let byNode = 0
const count = () => void byNode++

beforeEach(async () => {
  running = []
  byNode = 0
  subscribe('http.server.request.start', count)
  deps = fakeDeps(fakeCatalog('echo', 'hold', 'big'), async (call) => {
    if (call.name === 'echo') return printed('hi')
    if (call.name === 'big') return printed('x'.repeat(3_000_000))
    return new Promise((resolve) => {
      call.signal.addEventListener('abort', () => resolve(failed('cancelled', 'cancelled')))
      running.push({ call, finish: () => resolve(printed('held')) })
    })
  })
  server = await listenHttp(deps, settings({ headersMs: 400, bodyMs: 400 }))
})
afterEach(async () => {
  unsubscribe('http.server.request.start', count)
  await server.close()
})

function post(name: string, id: number, ...more: string[]): string {
  const params = { name, arguments: {}, _meta: ENVELOPE }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
  const lines = [
    'POST /mcp HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    `Mcp-Name: ${name}`,
    ...more,
    `Content-Length: ${body.length}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const ids = (text: string) => [...text.matchAll(/"id":(\d+)\}/g)].map(([, id]) => Number(id))

it('ordinary calls need no node:http, and once something else has come it stays', async () => {
  const client = await raw(server.port, '')
  for (const id of [1, 2, 30]) {
    client.socket.write(post('echo', id))
    await until(() => ids(client.received()).includes(id), `answer ${id}`)
  }
  expect(byNode).toBe(0)
  const text = post('echo', 4, 'TE: trailers')
  client.socket.write(text.slice(0, 30))
  await new Promise((resolve) => setTimeout(resolve, 20))
  client.socket.write(text.slice(30))
  await until(() => ids(client.received()).includes(4), 'answer 4')
  client.socket.write(post('echo', 5) + post('echo', 6))
  await until(() => ids(client.received()).includes(6), 'answer 6')
  expect(ids(client.received())).toEqual([1, 2, 30, 4, 5, 6])
  expect(byNode).toBe(3)
  client.socket.destroy()
})

it('what comes while a call runs is answered after it, ordinary or not', async () => {
  const client = await raw(server.port, post('hold', 1))
  await until(() => running.length === 1, 'the call')
  client.socket.write(post('echo', 2))
  client.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(client.received()).toBe('')
  running[0]?.finish()
  await until(() => client.received().includes('This is Orla'), 'all answers')
  expect(ids(client.received())).toEqual([1, 2])
  client.socket.destroy()
})

it.each(['leaves', 'closes its half'])('a call ends when its client %s', async (how) => {
  const client = await raw(server.port, post('hold', 1))
  await until(() => running.length === 1, 'the call')
  if (how === 'leaves') client.socket.destroy()
  else client.socket.end()
  await until(() => running[0]?.call.signal.aborted === true, 'the end of the call')
  await server.idle()
  expect(server.stats()).toMatchObject({ calls: 0 })
  client.socket.destroy()
  expect(byNode).toBe(0)
})

it('who says nothing is told that it took too long', async () => {
  const client = await raw(server.port, '')
  await client.closed
  expect(client.received()).toMatch(/^HTTP\/1\.1 408 /)
  expect(deps.records).toContainEqual(expect.objectContaining({ msg: 'request refused', reason: 'slow' }))
})

it('who does not take a long answer is cut, and others are served', async () => {
  const client = await raw(server.port, '')
  client.socket.pause()
  client.socket.write(post('big', 1))
  await until(() => server.stats().calls === 0 && server.stats().connections === 1, 'the answer')
  const other = await raw(server.port, post('echo', 2))
  await until(() => ids(other.received()).includes(2), 'the other answer')
  other.socket.destroy()
  await until(() => server.stats().connections === 0, 'the cut')
  client.socket.destroy()
})

it('a long answer arrives whole', async () => {
  const client = await raw(server.port, post('big', 1))
  await until(() => ids(client.received()).includes(1), 'the answer')
  const [head = '', body = ''] = client.received().split('\r\n\r\n')
  expect(head).toContain(`Content-Length: ${body.length}`)
  client.socket.destroy()
  expect(byNode).toBe(0)
})
