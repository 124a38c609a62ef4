import { request } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type HttpSettings, type Listening, listenHttp } from './index.ts'
import {
  ask,
  type FakeDeps,
  fakeCatalog,
  fakeDeps,
  LIMITS,
  printed,
  raw,
  settings,
  until,
} from './test-kit.ts'

let server: Listening
let deps: FakeDeps
let calls = 0

async function start(more: Partial<HttpSettings> = {}): Promise<void> {
  deps = fakeDeps(fakeCatalog('echo'), async () => {
    calls++
    return printed('hi')
  })
  server = await listenHttp(deps, settings(more))
}

beforeEach(async () => {
  calls = 0
  await start()
})
afterEach(() => server.close())

async function restart(more: Partial<HttpSettings>): Promise<void> {
  await server.close()
  await start(more)
}

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '0' } },
})

interface Head {
  readonly method?: string
  readonly path?: string
  readonly headers?: readonly string[]
  readonly host?: readonly string[]
  readonly body?: string
}

/** An initialize request, unless told otherwise: without a guard in the way it would open a session. */
function http({ method = 'POST', path = '/mcp', headers = [], host, body = INITIALIZE }: Head = {}): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host ?? [`127.0.0.1:${server.port}`]).map((value) => `Host: ${value}`),
    'Accept: application/json, text/event-stream',
    ...(headers.some((line) => /^content-type/i.test(line)) ? [] : ['Content-Type: application/json']),
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const refusals = () => deps.records.filter(({ msg }) => msg === 'request refused')

it('Q34: what the tests below send is served when nothing is wrong with it', async () => {
  const { status, text } = await ask(server.port, http())
  expect(status).toBe(200)
  expect(text).toContain('"name":"orla"')
  expect(text).toMatch(/^mcp-session-id: [\w-]{32}\r$/im)
  expect(text).not.toMatch(/access-control/i)
  expect(refusals()).toEqual([])
})

describe('Host', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]'])('%s is served, with and without the port', async (name) => {
    expect((await ask(server.port, http({ host: [name] }))).status).toBe(200)
    expect((await ask(server.port, http({ host: [`${name}:${server.port}`] }))).status).toBe(200)
  })

  it.each([
    ['another name', ['evil.example']],
    ['another spelling of the address', ['127.1']],
    ['a decimal address', ['2130706433']],
    ['the unspecified address', ['0.0.0.0']],
    ['another port', ['127.0.0.1:1']],
    ['a trailing dot', ['localhost.']],
    ['credentials in front', ['localhost@evil.example']],
    ['a list', ['localhost, evil.example']],
    ['two, the first good', ['127.0.0.1', 'evil.example']],
    ['two, the last good', ['evil.example', '127.0.0.1']],
    ['two good ones', ['127.0.0.1', '127.0.0.1']],
    ['nothing', ['']],
  ])('%s is refused on every route and method', async (_what, host) => {
    for (const head of [{}, { method: 'GET', path: '/' }, { method: 'OPTIONS' }, { path: '/other' }]) {
      const { status, text } = await ask(server.port, http({ ...head, host }))
      expect(status).toBe(403)
      expect(text).toContain('"code":-32000')
    }
    expect(refusals()).toHaveLength(4)
    expect(refusals()[0]).toMatchObject({ level: 'warn', reason: 'host', host })
    expect(server.stats().sessions).toBe(0)
  })

  it('none at all is refused', async () => {
    expect((await ask(server.port, http({ host: [] }))).status).toBe(400)
  })

  it('is checked before the body is asked for', async () => {
    const head = http({ host: ['evil.example'], headers: ['Expect: 100-continue'], body: '' })
    const { text } = await ask(server.port, head.replace('Content-Length: 0', 'Content-Length: 1000'))
    expect(text).toMatch(/^HTTP\/1.1 403/)
    expect(text).not.toContain('100 Continue')
  })
})

describe('Q34: Origin', () => {
  it.each(['localhost', '127.0.0.1', '[::1]'])('http://%s may read the answer', async (name) => {
    for (const origin of [`http://${name}`, `http://${name}:${server.port}`]) {
      const { status, text } = await ask(server.port, http({ headers: [`Origin: ${origin}`] }))
      expect(status).toBe(200)
      expect(text).toContain(`Access-Control-Allow-Origin: ${origin}\r\n`)
      expect(text).toMatch(/^Access-Control-Expose-Headers: .*Mcp-Session-Id/m)
      expect(text).toMatch(/^Vary: Origin/m)
    }
  })

  it.each([
    'http://evil.example',
    'https://localhost',
    'null',
    '',
    'http://localhost.evil.example',
    'http://127.1',
    'http://localhost:1',
    'http://LOCALHOST',
    'file://',
  ])('%j is refused on every route and method', async (origin) => {
    for (const head of [{}, { method: 'GET', path: '/' }, { method: 'OPTIONS' }, { method: 'DELETE' }]) {
      const { status, text } = await ask(server.port, http({ ...head, headers: [`Origin: ${origin}`] }))
      expect(status).toBe(403)
      expect(text).not.toMatch(/access-control/i)
    }
    expect(refusals()[0]).toMatchObject({ level: 'warn', reason: 'origin', origin: [origin] })
  })

  it('two are refused', async () => {
    const headers = ['Origin: http://localhost', 'Origin: http://localhost']
    expect((await ask(server.port, http({ headers }))).status).toBe(403)
  })

  it('a preflight names that origin and what it may send, nobody else and nothing else', async () => {
    const { status, text } = await ask(
      server.port,
      http({
        method: 'OPTIONS',
        headers: [
          'Origin: http://localhost',
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Headers: content-type,mcp-session-id,mcp-param-city,x-evil,mcp-\u00e9',
        ],
      }),
    )
    expect(status).toBe(204)
    expect(text).toContain('Access-Control-Allow-Origin: http://localhost\r\n')
    expect(text).toContain('Access-Control-Allow-Headers: content-type, mcp-session-id, mcp-param-city\r\n')
    expect(text).toContain('Access-Control-Allow-Methods: GET, POST, DELETE\r\n')
    expect(text).not.toContain('*')
  })

  it('a hostile origin stays data in the log', async () => {
    await ask(server.port, http({ headers: [`Origin: \x9b2Jhttp://x${'y'.repeat(500)}`] }))
    expect(String(refusals()[0]?.origin)).toHaveLength(201)
  })
})

describe('token', () => {
  const TOKEN = 'correct-horse'
  beforeEach(() => restart({ token: TOKEN }))

  it('opens the door', async () => {
    const headers = [`Authorization: Bearer ${TOKEN}`]
    expect((await ask(server.port, http({ headers }))).status).toBe(200)
    expect((await ask(server.port, http({ headers: [`authorization: bearer ${TOKEN}`] }))).status).toBe(200)
  })

  it.each([
    ['none', []],
    ['a wrong one', ['Authorization: Bearer wrong']],
    ['a prefix', ['Authorization: Bearer correct']],
    ['another scheme', [`Authorization: Basic ${TOKEN}`]],
    ['two', [`Authorization: Bearer ${TOKEN}`, `Authorization: Bearer ${TOKEN}`]],
    ['an empty one', ['Authorization: Bearer ']],
  ])('%s is refused on every route', async (_what, headers) => {
    for (const head of [{}, { method: 'GET', path: '/' }, { path: `/mcp?token=${TOKEN}` }]) {
      const { status, text } = await ask(server.port, http({ ...head, headers }))
      expect(status).toBe(401)
      expect(text).toMatch(/^WWW-Authenticate: Bearer realm="orla"/im)
    }
    expect(refusals()[0]).toMatchObject({ reason: 'token', status: 401 })
  })

  it('never appears in the log', async () => {
    await ask(server.port, http({ headers: [`Authorization: Bearer ${TOKEN}`] }))
    await ask(server.port, http({ headers: ['Authorization: Bearer guess-4711'] }))
    expect(JSON.stringify(deps.records)).not.toMatch(/correct-horse|guess-4711/)
  })

  it('is not asked of a preflight, which cannot carry one', async () => {
    const headers = ['Origin: http://localhost', 'Access-Control-Request-Method: POST']
    expect((await ask(server.port, http({ method: 'OPTIONS', headers }))).status).toBe(204)
  })
})

describe('routes and bodies', () => {
  it('tells a visitor where the endpoint is', async () => {
    const { status, text } = await ask(server.port, http({ method: 'GET', path: '/' }))
    expect(status).toBe(200)
    expect(text).toContain('Orla 1.2.3')
    expect(text).toContain('/mcp')
    expect(text).toMatch(/^content-type: text\/plain/im)
  })

  it.each(['/other', '/mcp/', '/MCP', '/mcp/../x', 'http://evil.example/mcp', '*'])(
    '%s is not found, and says what is',
    async (path) => {
      const { status, text } = await ask(server.port, http({ path }))
      expect(status).toBe(404)
      expect(text).toContain('the MCP endpoint is /mcp')
    },
  )

  it.each(['PUT', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND'])('%s is not allowed', async (method) => {
    const { status, text } = await ask(server.port, http({ method, body: '' }))
    expect(status).toBe(405)
    expect(text).toMatch(/^allow: GET, POST, DELETE, OPTIONS\r$/im)
  })

  it.each(['text/plain', 'application/jsonp', 'text/plain; a=application/json', 'multipart/form-data', ''])(
    'Content-Type %j is unsupported',
    async (type) => {
      expect((await ask(server.port, http({ headers: [`Content-Type: ${type}`] }))).status).toBe(415)
    },
  )

  it.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'Content-Type %j is fine',
    async (type) => {
      expect((await ask(server.port, http({ headers: [`Content-Type: ${type}`] }))).status).toBe(200)
    },
  )

  it.each([
    ['nonsense', '{nope'],
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['compressed JSON', gzipSync(INITIALIZE)],
  ])('a body of %s is a parse error', async (_what, body) => {
    const head = http({ body: '' }).replace('Content-Length: 0', `Content-Length: ${Buffer.byteLength(body)}`)
    const { socket, received } = await raw(server.port, head)
    socket.write(body)
    await until(() => received().includes('}}'), 'the answer')
    expect(received()).toMatch(/^HTTP\/1.1 400/)
    expect(received()).toContain('"code":-32700')
    socket.destroy()
  })

  it.each(['5', 'null', '"text"', '{}', '[]', '[5, null]', '{"jsonrpc":"1.0","id":1,"method":"ping"}'])(
    '%s is JSON but no message',
    async (body) => {
      const { status, text } = await ask(server.port, http({ body }))
      expect(status).toBe(400)
      expect(text).toMatch(/"code":-32(600|700|000)/)
    },
  )

  it('a depth bomb is refused before it is built', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    const { status, text } = await ask(server.port, http({ body: deep(100_000) }))
    expect(status).toBe(400)
    expect(text).toContain('deeper than 64')
    expect((await ask(server.port, http({ body: deep(65) }))).text).toContain('deeper than 64')
    expect((await ask(server.port, http({ body: deep(64) }))).text).not.toContain('deeper than 64')
    expect((await ask(server.port, http({ body: `"${'['.repeat(999)}"` }))).text).not.toContain('deeper')
  })

  it('a body declared too large is refused without asking for it', async () => {
    const head = http({ body: '', headers: ['Expect: 100-continue'] })
    const { status, text } = await ask(
      server.port,
      head.replace('Length: 0', `Length: ${LIMITS.bodyBytes + 1}`),
    )
    expect(status).toBe(413)
    expect(text).not.toContain('100 Continue')
    expect(refusals()[0]).toMatchObject({ reason: 'body-size' })
  })

  it('a body that turns out too large is refused while it comes', async () => {
    await restart({ limits: { ...LIMITS, bodyBytes: 1_000 } })
    const head = http({ body: '', headers: ['Transfer-Encoding: chunked'] }).replace(
      'Content-Length: 0\r\n',
      '',
    )
    const { socket, received, closed } = await raw(server.port, head)
    const chunk = `ff\r\n${'x'.repeat(255)}\r\n`
    while (!received().includes('413')) {
      socket.write(chunk)
      await new Promise((resolve) => setImmediate(resolve))
    }
    socket.write(chunk)
    await closed
    expect(refusals()).toHaveLength(1)
  })

  it('a large body within the limit is served, and asked for when the client waits', async () => {
    const introduction = JSON.parse(INITIALIZE)
    introduction.params._meta = { padding: 'x'.repeat(LIMITS.bodyBytes - 1_000) }
    const body = JSON.stringify(introduction)
    const status = await new Promise((resolve, reject) => {
      const req = request({ port: server.port, path: '/mcp', method: 'POST' }, (res) =>
        resolve(res.resume().statusCode),
      )
      req.setHeader('Expect', '100-continue')
      req.setHeader('Content-Type', 'application/json')
      req.setHeader('Accept', 'application/json, text/event-stream')
      req.on('continue', () => req.end(body)).on('error', reject)
      req.flushHeaders()
    })
    expect(status).toBe(200)
  })

  it('headers without end are refused', async () => {
    const { status } = await ask(server.port, http({ headers: [`X-Long: ${'x'.repeat(20_000)}`] }))
    expect(status).toBe(431)
    expect(refusals()[0]).toMatchObject({ reason: 'headers-size' })
  })

  it('what is not HTTP is refused, and the server lives on', async () => {
    for (const text of ['\x16\x03\x01 hello TLS\r\n\r\n', 'GET\r\n\r\n', '\0\0\0\0\r\n\r\n'])
      expect((await ask(server.port, text)).status).toBe(400)
    expect((await ask(server.port, http())).status).toBe(200)
  })
})

describe('legacy sessions', () => {
  const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}'

  async function session(): Promise<string> {
    const { text } = await ask(server.port, http())
    return /mcp-session-id: (\S+)/i.exec(text)?.[1] ?? ''
  }

  it('an unknown one is not found', async () => {
    for (const method of ['POST', 'GET', 'DELETE']) {
      const headers = ['Mcp-Session-Id: made-up']
      const { status, text } = await ask(
        server.port,
        http({ method, headers, body: method === 'POST' ? LIST : '' }),
      )
      expect(status).toBe(404)
      expect(text).toContain('"code":-32001')
    }
  })

  it('without one only an introduction is served', async () => {
    expect((await ask(server.port, http({ body: LIST }))).status).toBe(400)
    expect((await ask(server.port, http({ method: 'GET', body: '' }))).status).toBe(400)
    expect((await ask(server.port, http({ method: 'DELETE', body: '' }))).status).toBe(400)
    const modern = ['MCP-Protocol-Version: 2026-07-28']
    const { status, text } = await ask(server.port, http({ method: 'GET', body: '', headers: modern }))
    expect(status).toBe(405)
    expect(text).toMatch(/^allow: POST\r$/im)
  })

  it('a batch is answered as one', async () => {
    const headers = [`Mcp-Session-Id: ${await session()}`]
    const calls = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo' } }))
    const { received } = await raw(server.port, http({ headers, body: JSON.stringify(calls) }))
    await until(() => received().includes('"id":1') && received().includes('"id":2'), 'both answers')
    await until(() => received().endsWith('0\r\n\r\n'), 'the end')
  })

  it('a batch of too many is refused', async () => {
    const headers = [`Mcp-Session-Id: ${await session()}`]
    const body = JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ ...JSON.parse(LIST), id })))
    expect((await ask(server.port, http({ headers, body }))).status).toBe(400)
  })

  it('ends with DELETE', async () => {
    const headers = [`Mcp-Session-Id: ${await session()}`]
    expect(server.stats().sessions).toBe(1)
    expect((await ask(server.port, http({ method: 'DELETE', headers, body: '' }))).status).toBe(200)
    expect(server.stats().sessions).toBe(0)
    expect((await ask(server.port, http({ headers, body: LIST }))).status).toBe(404)
  })

  it('one that was refused leaves nothing behind', async () => {
    const broken = http().replace('Accept: application/json, text/event-stream', 'Accept: text/html')
    expect((await ask(server.port, broken)).status).toBe(406)
    expect(server.stats().sessions).toBe(0)
  })
})

describe('modern requests', () => {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'echo', _meta: envelope } }
  const headers = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: echo']

  it('need their headers', async () => {
    expect((await ask(server.port, http({ headers, body: JSON.stringify(call) }))).status).toBe(200)
    expect(calls).toBe(1)
    const without = headers.filter((line) => !line.startsWith('Mcp-Name'))
    expect((await ask(server.port, http({ headers: without, body: JSON.stringify(call) }))).status).toBe(400)
    expect(calls).toBe(1)
  })

  it('have what a schema mirrors into headers checked against it', async () => {
    const { fakeTool } = await import('./test-kit.ts')
    const city = { type: 'string', 'x-mcp-header': 'City' }
    deps.current = fakeCatalog(fakeTool('echo', { inputSchema: { type: 'object', properties: { city } } }))
    const body = JSON.stringify({ ...call, params: { ...call.params, arguments: { city: 'Oslo' } } })
    const good = await ask(server.port, http({ headers: [...headers, 'Mcp-Param-City: Oslo'], body }))
    expect(good.status).toBe(200)
    const bad = await ask(server.port, http({ headers: [...headers, 'Mcp-Param-City: Rome'], body }))
    expect(bad.status).toBe(400)
    expect(calls).toBe(1)
  })

  it('list with how long and for whom the list is true', async () => {
    const body = JSON.stringify({ ...call, method: 'tools/list', params: { _meta: envelope } })
    const list = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/list']
    const { text } = await ask(server.port, http({ headers: list, body }))
    expect(text).toContain('"ttlMs":0')
    expect(text).toContain('"cacheScope":"private"')
    expect(text).toContain('"resultType":"complete"')
  })

  it('never come in batches', async () => {
    expect((await ask(server.port, http({ headers, body: JSON.stringify([call, call]) }))).status).toBe(400)
    expect(calls).toBe(0)
  })
})

describe('listening', () => {
  it('another address than loopback needs a token or --insecure', async () => {
    for (const host of ['0.0.0.0', '::', '', '192.0.2.1', '127.1', 'example.com'])
      await expect(listenHttp(deps, settings({ host }))).rejects.toMatchObject({
        code: 'E_EXPOSED',
        hint: expect.stringContaining('--insecure'),
      })
    await expect(listenHttp(deps, settings({ host: '0.0.0.0', token: '' }))).rejects.toMatchObject({
      code: 'E_EXPOSED',
    })
  })

  it('on every address it answers to its own addresses and still to no other name', async () => {
    await restart({ host: '0.0.0.0', insecure: true })
    expect((await ask(server.port, http())).status).toBe(200)
    expect((await ask(server.port, http({ host: [`0.0.0.0:${server.port}`] }))).status).toBe(200)
    expect((await ask(server.port, http({ host: ['evil.example'] }))).status).toBe(403)
  })

  it('a port in use is an error with a way out', async () => {
    await expect(listenHttp(deps, settings({ port: server.port }))).rejects.toMatchObject({
      code: 'E_PORT_IN_USE',
      hint: expect.stringContaining('--port 0'),
    })
  })

  it('an address that is not ours is an error', async () => {
    await expect(listenHttp(deps, settings({ host: '192.0.2.1', token: 'x' }))).rejects.toMatchObject({
      code: 'E_LISTEN',
    })
  })

  it('is at the address it says, on IPv6 too where there is any', async () => {
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`)
    const hasIpv6 = await new Promise((resolve) => {
      const probe = createServer().on('error', () => resolve(false))
      probe.listen(0, '::1', () => probe.close(() => resolve(true)))
    })
    if (!hasIpv6) return
    await restart({ host: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}/mcp`)
    const response = await fetch(server.url.replace('/mcp', '/'))
    expect(response.status).toBe(200)
  })
})
