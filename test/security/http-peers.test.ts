import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ask } from '../../src/server/test-kit.ts'
import { eventually, makeProject } from '../stories/project.ts'
import { callEndpoint } from './endpoint.ts'

const MIB = 1_048_576
/** A bomb that goes off does not fit into this. */
const LITTLE = { NODE_OPTIONS: '--max-old-space-size=96' }
const SOON_MS = 15_000

/** Talks as it likes to whoever has sent something; what it has sent so far. */
async function serveRaw(
  talk: (socket: Socket) => void,
): Promise<{ readonly url: string; readonly met: () => number }> {
  let met = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket
      .on('error', () => {})
      .once('data', () => {
        met++
        talk(socket)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on TCP
  return { url: `http://127.0.0.1:${port}/`, met: () => met }
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** Writes a piece again and again, as fast as it is taken. */
function pour(socket: Socket, piece: Buffer | string): void {
  const more = () => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

const PEERS: Readonly<Record<string, (socket: Socket) => void>> = {
  'a body without end': (socket) => {
    socket.write(`${OK}\r\n"`)
    pour(socket, 'x'.repeat(MIB))
  },
  'few bytes that become many': (socket) => {
    const packed = gzipSync(Buffer.alloc(128 * MIB, 'x'), { level: 1 })
    socket.end(
      Buffer.concat([Buffer.from(`${OK}Content-Encoding: gzip\r\nConnection: close\r\n\r\n`), packed]),
    )
  },
  'headers without end': (socket) => {
    socket.write(OK)
    pour(socket, `X-More: ${'x'.repeat(1_000)}\r\n`)
  },
  'pieces without end': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n`)
    pour(socket, '1\r\nx\r\n'.repeat(10_000))
  },
  'a letter now and then': (socket) => {
    socket.write(`${OK}\r\n"`)
    const timer = setInterval(() => socket.write('x'), 50)
    socket.on('close', () => clearInterval(timer))
  },
  'nothing at all': () => {},
  'redirects without end': (socket) => {
    socket.end('HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  },
}

describe('a server that an endpoint meets', () => {
  it('Q99: is understood when it answers', async () => {
    const { url } = await serveRaw((socket) => socket.end(`${OK}Content-Length: 4\r\n\r\n"hi"`))
    expect((await callEndpoint(url, LITTLE)).stdout).toContain('hi')
  })

  it.each(Object.entries(PEERS))('Q99: with %s is given up, in time and in memory', async (_, talk) => {
    const { url, met } = await serveRaw(talk)
    const began = performance.now()
    const { status, stdout, stderr } = await callEndpoint(url, LITTLE, 1_500)
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect([status === 0, met() > 0]).toEqual([false, true])
    expect(stderr).toMatch(/`acme\.ask`/)
    expect(stderr).not.toMatch(/heap|at .*\.cjs:\d/)
    expect(stdout.length + stderr.length).toBeLessThan(4 * MIB)
  })
})

const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: {
    name: 'mark',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

interface Head {
  readonly host?: readonly string[]
  readonly length?: readonly string[]
  readonly type?: string
  readonly more?: readonly string[]
  readonly body?: string
}

/** A call of the tool, byte by byte. */
function callText(
  port: number,
  { host, length, type = 'application/json', more = [], body = BODY }: Head = {},
): string {
  const lines = [
    'POST /mcp HTTP/1.1',
    ...(host ?? [`127.0.0.1:${port}`]).map((value) => `Host: ${value}`),
    'Accept: application/json, text/event-stream',
    `Content-Type: ${type}`,
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: mark',
    ...(length ?? [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...more,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** The call hidden behind a request that is none. */
const hidden = (port: number, headers: readonly string[], before: string) =>
  `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${headers.join('\r\n')}\r\n\r\n${before}${callText(port, { host: ['evil.example'] })}`

const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

const REQUESTS: Readonly<Record<string, (port: number) => string>> = {
  'from a page whose name leads here': (port) => callText(port, { host: [`evil.example:${port}`] }),
  'with another spelling of the address': (port) => callText(port, { host: [`127.1:${port}`] }),
  'with a dot behind the name': (port) => callText(port, { host: [`localhost.:${port}`] }),
  'with two hosts, the first good': (port) => callText(port, { host: [`127.0.0.1:${port}`, 'evil.example'] }),
  'with two hosts, the last good': (port) => callText(port, { host: ['evil.example', `127.0.0.1:${port}`] }),
  'from nowhere': (port) => callText(port, { more: ['Origin: null'] }),
  'from another page': (port) => callText(port, { more: ['Origin: https://evil.example'] }),
  'from a page whose name begins like this machine': (port) =>
    callText(port, { more: ['Origin: https://localhost.evil.example'] }),
  'as a form that needs no permission': (port) => callText(port, { type: 'text/plain' }),
  'with a length and in pieces': (port) =>
    callText(port, {
      length: [`Content-Length: ${chunked(BODY).length}`, 'Transfer-Encoding: chunked'],
      body: chunked(BODY),
    }),
  'with two lengths': (port) =>
    callText(port, { length: [`Content-Length: ${BODY.length}`, 'Content-Length: 1'] }),
  'in pieces of a kind nobody knows': (port) =>
    callText(port, { length: ['Transfer-Encoding: xchunked'], body: chunked(BODY) }),
  'in pieces, said twice': (port) =>
    callText(port, { length: ['Transfer-Encoding: chunked, identity'], body: chunked(BODY) }),
  'with a space before the colon': (port) => callText(port, { length: [`Content-Length : ${BODY.length}`] }),
  'hidden behind a length and pieces': (port) =>
    hidden(port, ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
}

describe('a request that a server meets', () => {
  it('Q34: calls nothing when it comes from elsewhere, is hidden, or means two things', async () => {
    const project = makeProject({ 'tools/mark.sh': '#!/bin/sh\n# Leaves a mark\necho x >> ran\n' })
    const server = await project.serve()
    const { port } = server
    const marks = () => readFileSync(join(project.dir, 'ran'), 'utf8').length / 2
    expect([(await ask(port, callText(port))).status, marks()]).toEqual([200, 1])
    const pieces = callText(port, { length: ['Transfer-Encoding: chunked'], body: chunked(BODY) })
    expect([(await ask(port, pieces)).status, marks()]).toEqual([200, 2])
    for (const [name, text] of Object.entries(REQUESTS)) {
      const { status } = await ask(port, text(port))
      expect([name, status >= 400, marks()]).toEqual([name, true, 2])
    }
    // One that is hidden behind another comes to light, and is judged by itself.
    const before = server.records.length
    expect((await ask(port, hidden(port, ['Content-Length: 0'], ''))).status).toBe(200)
    await eventually(
      () =>
        server.records
          .slice(before)
          .some(({ msg, reason }) => msg === 'request refused' && reason === 'host'),
      'the hidden request is refused',
    )
    expect([(await ask(port, callText(port))).status, marks()]).toEqual([200, 3])
  })
})
