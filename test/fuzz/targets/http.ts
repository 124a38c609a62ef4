import { once } from 'node:events'
import { connect } from 'node:net'
import { type Listening, listenHttp } from '../../../src/server/index.ts'
import { fakeCatalog, fakeDeps, printed, settings } from '../../../src/server/test-kit.ts'
import { promise, type Target, type Verdict } from '../target.ts'

/** Stands for the port, which is another one each time. */
const PORT = 'PPPPP'
const MODERN = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'echo',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
})

function post(body: string, ...headers: readonly string[]): string {
  const lines = [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${PORT}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const INITIALIZE = post(
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}',
)
const CALL = post(MODERN, 'MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: echo')

let calls = 0
const deps = fakeDeps(fakeCatalog('echo'), async () => {
  calls++
  return printed('hi')
})
let opening: Promise<Listening> | undefined

/** Requests over a socket: a server goes on, answers in HTTP, and runs nothing for who asks for another host. */
export const httpTarget: Target = {
  name: 'HTTP',
  mostMs: 500,
  seeds: () =>
    [INITIALIZE, CALL, `GET /mcp HTTP/1.1\r\nHost: localhost:${PORT}\r\n\r\n${INITIALIZE}`].map((text) =>
      Buffer.from(text),
    ),
  async check(input) {
    opening ??= listenHttp(deps, settings())
    const { port } = await opening
    const before = calls
    const logged = deps.records.length
    const verdict = await exchange(port, withPort(input, port))
    const broken = deps.records.slice(logged).find(({ level }) => level === 'error')
    promise(broken === undefined, `it recovers from ${JSON.stringify(broken)}`)
    if (calls > before) {
      promise(
        /host:[ \t]*(127\.0\.0\.1|localhost):?/i.test(input.toString('latin1')),
        'nothing runs for another host',
      )
    }
    promise((await exchange(port, withPort(Buffer.from(INITIALIZE), port))) === 'accepted', 'it goes on')
    return verdict
  },
  async close() {
    await (await opening)?.close()
  },
}

function withPort(input: Buffer, port: number): Buffer {
  return Buffer.from(input.toString('latin1').replaceAll(PORT, String(port)), 'latin1')
}

async function exchange(port: number, bytes: Buffer): Promise<Verdict> {
  const socket = connect({ port, host: '127.0.0.1' })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.end(bytes)
  await once(socket, 'close')
  promise(received === '' || /^HTTP\/1\.1 [1-5]\d\d /.test(received), 'an answer is HTTP')
  promise(!received.startsWith('HTTP/1.1 500'), 'nothing it was sent is its own mistake')
  return received.includes('HTTP/1.1 200 ') ? 'accepted' : 'refused'
}
