import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { differentialDeps, ENVELOPE } from '../edge/differential-kit.ts'
import { type Listening, listenHttp } from '../index.ts'
import { type Raw, raw, settings, until } from '../test-kit.ts'

/** Both roads lead to the same server: node:http has a connection for good once something else came on it. */
type Road = 'plain' | 'node'

const SECONDS = 4
const bounded = { numRuns: 400, interruptAfterTimeLimit: SECONDS * 1_000, endOnFailure: true } as const
const ELSE = 'GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n'
const LAST = 'GET /elsewhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
/** For a request that is never answered because it never ends. */
const PATIENCE_MS = 60

let server: Listening
const deps = differentialDeps()
beforeAll(async () => {
  server = await listenHttp(deps, settings({ headersMs: 400, bodyMs: 300 }))
})
afterAll(() => server.close())

/** What a client hears to these pieces of bytes, until the connection ends; dates are left out. */
async function hear(road: Road, ...pieces: readonly string[]): Promise<string> {
  const client = await raw(server.port, road === 'node' ? ELSE : '')
  if (road === 'node') await until(() => isAnswered(client, 0), 'the first answer')
  const before = client.received().length
  for (const piece of pieces) {
    const from = client.received().length
    client.socket.write(Buffer.from(piece, 'latin1'))
    const patience = Date.now() + PATIENCE_MS
    await until(() => isAnswered(client, from) || isOver(client) || Date.now() > patience, 'an answer')
  }
  client.socket.write(LAST)
  await client.closed
  return client
    .received()
    .slice(before)
    .replaceAll(/^Date: .*$/gm, 'Date')
}

function isAnswered({ received }: Raw, from: number): boolean {
  return received().includes('\r\n\r\n', from)
}

function isOver({ socket }: Raw): boolean {
  return socket.destroyed || socket.readableEnded
}

async function sameOnBoth(...pieces: readonly string[]): Promise<string> {
  for (let again = 2; ; again--) {
    const [plain, node] = await Promise.all([hear('plain', ...pieces), hear('node', ...pieces)])
    if (plain === node || isCutShort(plain, node) || isCutShort(node, plain)) return plain
    // On a busy machine a piece may come before the answer to the one before it.
    if (again === 0) expect(plain).toBe(node)
  }
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
    const several = fc.array(sent, { minLength: 6, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(several, async (list) => {
        await Promise.all(list.map((pieces) => sameOnBoth(...pieces)))
      }),
      bounded,
    )
  }, 30_000)

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
})
