import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkFor } from '../../../test/check-for.ts'
import { differentialDeps, ENVELOPE } from '../edge/differential-kit.ts'
import { type Listening, listenHttp } from '../index.ts'
import { type Raw, raw, settings, until } from '../test-kit.ts'

/** Both roads lead to the same server: node:http has a connection for good once something else came on it. */
type Road = 'plain' | 'node'

const ELSE = 'GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n'
const LAST = 'GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
/** Nothing an answer waits for takes more turns of the loop: all of it is in this process, and no timer. */
const QUIET_TURNS = 50

let server: Listening
let hasty: Listening
/** The server's ends of connections, by the ports of the clients. */
const ends = new Map<number, Socket>()

function keepEnd(message: unknown): void {
  const end = typeof message === 'object' && message && 'socket' in message ? message.socket : undefined
  const port = end instanceof Socket ? end.remotePort : undefined
  if (!(end instanceof Socket) || port === undefined) return
  ends.set(port, end)
  // Its number may soon be another one's.
  end.once('close', () => {
    if (ends.get(port) === end) ends.delete(port)
  })
}

beforeAll(async () => {
  subscribe('net.server.socket', keepEnd)
  server = await listenHttp(differentialDeps(), settings({ headersMs: 60_000, bodyMs: 60_000 }))
  hasty = await listenHttp(differentialDeps(), settings({ headersMs: 400, bodyMs: 300 }))
})
afterAll(async () => {
  unsubscribe('net.server.socket', keepEnd)
  await Promise.all([server.close(), hasty.close()])
})

async function open(road: Road, { port }: Listening): Promise<{ client: Raw; before: number }> {
  const client = await raw(port, road === 'node' ? ELSE : '')
  if (road === 'node') await until(() => client.received().includes('\r\n\r\n'), 'the first answer')
  await settle(client)
  return { client, before: client.received().length }
}

/** What a client hears to these pieces of bytes, each sent when nothing more comes to the one before. */
async function hear(road: Road, ...pieces: readonly string[]): Promise<string> {
  const { client, before } = await open(road, server)
  for (const piece of [...pieces, LAST]) {
    client.socket.write(Buffer.from(piece, 'latin1'))
    await settle(client)
  }
  client.socket.destroy()
  return heardOf(client, before)
}

/** What a client hears that sends this and no more, until it is sent away. */
async function hearOut(road: Road, piece: string): Promise<string> {
  const { client, before } = await open(road, hasty)
  client.socket.write(piece)
  await client.closed
  return heardOf(client, before)
}

/** Dates are left out. */
function heardOf({ received }: Raw, from: number): string {
  return received()
    .slice(from)
    .replaceAll(/^Date: .*$/gm, 'Date')
}

/** Until either side has read all that the other wrote, and nothing more comes of it. */
async function settle({ socket, received }: Raw): Promise<void> {
  const { localPort = 0 } = socket
  let quiet = 0
  let heard = -1
  await until(() => ends.has(localPort) || isOver(socket), 'the other end')
  for (const deadline = Date.now() + 20_000; quiet < QUIET_TURNS && !isOver(socket); await turn()) {
    const end = ends.get(localPort)
    const isRead = end?.bytesRead === socket.bytesWritten && end.bytesWritten === received().length
    quiet = isRead && heard === received().length ? quiet + 1 : 0
    heard = received().length
    if (Date.now() > deadline) throw new Error(`This is not read: ${socket.bytesWritten} bytes`)
  }
}

function isOver(socket: Socket): boolean {
  return socket.destroyed || socket.readableEnded
}

async function sameOnBoth(...pieces: readonly string[]): Promise<string> {
  const [plain, node] = await Promise.all([hear('plain', ...pieces), hear('node', ...pieces)])
  if (!isCutShort(plain, node) && !isCutShort(node, plain)) expect(plain).toBe(node)
  return plain
}

const BROKEN = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** What is no HTTP ends a connection, and whether that comes before or after the last answer, node:http leaves open. */
function isCutShort(short: string, long: string): boolean {
  return short.endsWith(BROKEN) && long.startsWith(short.slice(0, -BROKEN.length))
}

interface Asked {
  readonly start?: string
  readonly lines?: readonly string[]
  readonly body?: string
  readonly length?: string
}

function post({ start = 'POST /mcp HTTP/1.1', lines = HEADERS, body = call('echo'), length }: Asked): string {
  const whole = [start, ...lines, `Content-Length: ${length ?? Buffer.byteLength(body, 'latin1')}`]
  return `${whole.join('\r\n')}\r\n\r\n${body}`
}

function call(name: string, more: object = {}): string {
  const params = { name, arguments: {}, _meta: { ...ENVELOPE, ...more } }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
}

const HEADERS = [
  'Host: localhost',
  'Content-Type: application/json',
  'Accept: application/json, text/event-stream',
  'MCP-Protocol-Version: 2026-07-28',
  'Mcp-Method: tools/call',
  'Mcp-Name: echo',
]

/** Lines that change something, or should not. */
const LINES = [
  ...HEADERS,
  'Host: evil.example',
  'Host: 127.1',
  'Host: LOCALHOST',
  'Origin: http://localhost',
  'Origin: https://evil.example',
  'Origin: null',
  'Content-Length: 5',
  'Content-Length: 0',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: xchunked, chunked',
  'Expect: 100-continue',
  'Expect: nonsense',
  'Upgrade: websocket',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade, HTTP2-Settings',
  'Keep-Alive: timeout=5',
  'TE: trailers',
  'Authorization: Bearer nobody',
  'Content-Type: text/plain',
  'Content-Type: application/json; charset=utf-8',
  'Content-Type: application/json;charset=latin1',
  'Accept: text/plain',
  'Mcp-Session-Id: nobody',
  'Mcp-Name: =?base64?ZWNobw==?=',
  'Mcp-Name: fails',
  'MCP-Protocol-Version: 2025-11-25',
  'X-Empty:',
  'X-Blank: \t a \t ',
  'X-Beyond: \xe9\xff',
  'X-Nul: a\0b',
  'X-Cr: a\rb',
  'X-Lf: a\nb: c',
  'X_Under: 1',
  '__proto__: 1',
  'constructor: 1',
  'nonsense',
  ': nameless',
  ' folded',
  '\tfolded',
  'Bad Name: 1',
  `X-Long: ${'a'.repeat(9_000)}`,
  `X-Longer: ${'a'.repeat(20_000)}`,
]

const NAMES = ['echo', 'fails', 'late', 'list', 'content', 'odd', 'throws', 'refuses', 'mirror', 'nobody']
const bodies = fc.oneof(
  { weight: 3, arbitrary: fc.constant(call('echo')) },
  { weight: 2, arbitrary: fc.constantFrom(...NAMES).map((name) => call(name)) },
  fc.constant(call('echo', { progressToken: 'p' })),
  fc.constantFrom(
    '',
    '{',
    'null',
    '[]',
    '{"a":"\xff"}',
    '['.repeat(70) + ']'.repeat(70),
    '{"jsonrpc":"2.0","method":"notifications/x"}',
    `[${call('echo')}]`,
  ),
)
const starts = fc.oneof(
  { weight: 12, arbitrary: fc.constant('POST /mcp HTTP/1.1') },
  fc.constantFrom(
    'GET /mcp HTTP/1.1',
    'DELETE /mcp HTTP/1.1',
    'OPTIONS /mcp HTTP/1.1',
    'POST / HTTP/1.1',
    'POST /mcp/ HTTP/1.1',
    'POST /mcp?a=b HTTP/1.1',
    'POST /mcp HTTP/1.0',
    'POST /mcp HTTP/2.0',
    'POST /mcp',
    'POST http://localhost/mcp HTTP/1.1',
    'POST\t/mcp HTTP/1.1',
    'nonsense',
  ),
)
const lengths = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  fc.constantFrom('0', '5', '1000', '', '+5', '0x5', '5 5', '5, 5', '99999999999999999999', '00000000250'),
)
const changes = fc.array(
  fc.record({
    at: fc.nat(HEADERS.length),
    drops: fc.nat(1),
    line: fc.option(fc.constantFrom(...LINES), { nil: undefined }),
  }),
  { maxLength: 2 },
)

function changed(list: readonly { at: number; drops: number; line: string | undefined }[]): string[] {
  const lines = [...HEADERS]
  for (const { at, drops, line } of list) lines.splice(at, drops, ...(line === undefined ? [] : [line]))
  return lines
}

const requests = fc
  .record({ start: starts, lines: changes, body: bodies, length: lengths })
  .map(({ start, lines, body, length }) =>
    post({ start, lines: changed(lines), body, ...(length !== undefined && { length }) }),
  )

/** Whole, in two pieces, or with something behind it. */
const sent = fc
  .tuple(requests, fc.constantFrom('whole', 'whole', 'pieces', 'more', 'again'))
  .chain(([text, how]): fc.Arbitrary<readonly string[]> => {
    if (how === 'again') return requests.map((next) => [text, next])
    if (how === 'more') return fc.constantFrom(text, 'x', '\r\n').map((more) => [text + more])
    if (how === 'whole') return fc.constant([text])
    return fc.nat(text.length - 1).map((at) => [text.slice(0, at + 1), text.slice(at + 1)])
  })

describe('a call that goes the short way', () => {
  it('is answered as node:http answers it, byte for byte, whatever is sent', async () => {
    let compared = 0
    const several = fc.array(sent, { minLength: 6, maxLength: 6 })
    const check = async (list: readonly (readonly string[])[]) => {
      await Promise.all(list.map((pieces) => sameOnBoth(...pieces)))
      compared += list.length
    }
    await checkFor(4, several, check, { until: () => compared > 60, runs: 400 })
  }, 60_000)

  it.each([
    ['an answer', call('echo'), /^HTTP\/1\.1 200 OK\r\n[\s\S]*Content-Length: \d+\r\n/],
    [
      'events',
      call('echo', { progressToken: 7 }),
      /Transfer-Encoding: chunked\r\n[\s\S]*notifications\/progress/,
    ],
  ])('has %s as node:http writes it', async (_, body, words) => {
    expect(await sameOnBoth(post({ body }))).toMatch(words)
  })
  it('is whole, also when others before it on the connection wait to be asked for their bodies', async () => {
    const waiting = post({ lines: [...HEADERS, 'Expect: 100-continue'], body: call('late') })
    const [head = '', body = ''] = waiting.split('\r\n\r\n')
    const heard = await sameOnBoth(`${waiting}${waiting}${head}\r\n\r\n`, body)
    const [last, ...parts] = heard.split(/(?=HTTP\/1\.1 \d+)/).toReversed()
    expect(last).toMatch(/^HTTP\/1\.1 404 /)
    expect(parts.toReversed()).toEqual(
      Array(3)
        .fill(['HTTP/1.1 100 Continue\r\n\r\n', expect.stringMatching(/^HTTP\/1\.1 400 .*"id":1\}$/s)])
        .flat(),
    )
  })

  it.each([
    ['its head', post({}).slice(0, 40)],
    ['its body', post({}).slice(0, -5)],
    ['a body longer than it has', post({ length: '1000' })],
    [
      'its chunks',
      post({ lines: [...HEADERS, 'Transfer-Encoding: chunked'] }).replace(/Content-Length.*\r\n/, ''),
    ],
  ])('is sent away as by node:http when it stops in the middle of %s', async (_, piece) => {
    const [plain, node] = await Promise.all([hearOut('plain', piece), hearOut('node', piece)])
    expect(plain).toBe(node)
    expect(plain).toMatch(/^HTTP\/1\.1 4\d\d /)
  })
})
