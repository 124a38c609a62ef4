import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import type { CallTool } from '../../src/model/index.ts'
import { type HttpSettings, type Listening, listenHttp, type RefusedCall } from '../../src/server/index.ts'
import {
  type FakeDeps,
  fakeCatalog,
  fakeDeps,
  LIMITS,
  printed,
  raw,
  settings,
  until,
} from '../../src/server/test-kit.ts'
import { makeCertificate } from '../certificate-kit.ts'
import { type Algorithm, AUDIENCE, type Issuer, makeKey, signToken, startIssuer } from '../issuer-kit.ts'

let server: Listening | undefined
let deps: FakeDeps & { readonly refused: RefusedCall[] }
afterEach(() => server?.close())

async function start(more: Partial<HttpSettings> = {}, behave: CallTool = async () => printed('done')) {
  const refused: RefusedCall[] = []
  deps = Object.assign(fakeDeps(fakeCatalog('fs.read', 'fs.write', 'mail'), behave), {
    refused,
    metrics: () => 'orla_calls{tool="mail"} 1\n',
    onRefusedCall: (call: RefusedCall) => void refused.push(call),
  })
  server = await listenHttp(deps, settings(more))
  return server
}

interface Sent {
  readonly token?: string
  readonly session?: string
  readonly headers?: Record<string, string>
}

const MODERN = '2026-07-28'

/** One modern request, by hand. */
async function rpc(method: string, params: object = {}, { token, headers }: Sent = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'attacker', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return post(
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...('name' in params && { 'mcp-name': String(params.name) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
  )
}

/** One message of the earlier era. */
function legacy(message: object, { token, session }: Sent = {}) {
  return post(message, {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(session !== undefined && { 'mcp-session-id': session }),
  })
}

async function post(body: unknown, headers: Record<string, string>) {
  const response = await fetch(server?.url ?? '', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
  const text = await response.text()
  const json = /^\s*\{/.test(text) ? JSON.parse(text) : JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}')
  return { status: response.status, headers: response.headers, json }
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
}

async function openSession(token?: string): Promise<string> {
  const sent = token === undefined ? {} : { token }
  const session = (await legacy(INITIALIZE, sent)).headers.get('mcp-session-id') ?? ''
  await legacy({ jsonrpc: '2.0', method: 'notifications/initialized' }, { ...sent, session })
  return session
}

const listed = async (sent: Sent = {}) =>
  ((await rpc('tools/list', {}, sent)).json.result?.tools ?? []).map(({ name }: { name: string }) => name)

describe('access tokens of an issuer', () => {
  let issuer: Issuer

  async function startProtected(more: Partial<HttpSettings> = {}, oauth: object = {}) {
    issuer = await startIssuer()
    return start({ oauth: { issuer: issuer.url, audience: AUDIENCE, ...oauth }, ...more })
  }
  const statusOf = async (token: string) => (await rpc('tools/list', {}, { token })).status

  it('without one, a client is told where to get one', async () => {
    const { port } = await startProtected({}, { scopes: { files: ['fs.*'] } })
    const { status, headers } = await rpc('tools/list')
    expect(status).toBe(401)
    const url = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1]
    expect(url).toBe(`http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`)
    for (const at of [url ?? '', (url ?? '').replace(/\/mcp$/, '')])
      expect(await (await fetch(at)).json()).toEqual({
        resource: `http://127.0.0.1:${port}/mcp`,
        authorization_servers: [issuer.url],
        bearer_methods_supported: ['header'],
        scopes_supported: ['files'],
        resource_name: 'Orla',
      })
  })

  it('the metadata is behind the Host and Origin guards like everything else', async () => {
    const { port } = await startProtected()
    const path = '/.well-known/oauth-protected-resource'
    const { received, closed } = await raw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    )
    await closed
    expect(received()).toMatch(/^HTTP\/1\.1 403/)
    const page = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { origin: 'https://evil.example' },
    })
    expect(page.status).toBe(403)
  })

  it.each<Algorithm>(['RS256', 'PS256', 'ES256', 'EdDSA'])('a good one lets in: %s', async (algorithm) => {
    await startProtected()
    issuer.keys = [makeKey(algorithm)]
    expect(await listed({ token: issuer.token() })).toEqual(['fs.read', 'fs.write', 'mail'])
    expect((await rpc('tools/call', { name: 'mail', arguments: {} }, { token: issuer.token() })).status).toBe(
      200,
    )
  })

  it.each<[string, (good: Issuer) => string]>([
    ['one without a signature', (good) => `${good.token().split('.').slice(0, 2).join('.')}.`],
    ['alg none', (good) => `${encode({ alg: 'none' })}.${good.token().split('.')[1]}.`],
    ['alg none with a signature', (good) => withHeader(good, { alg: 'none' })],
    ['alg None', (good) => withHeader(good, { alg: 'None' })],
    [
      'a shared secret that is the public key',
      (good) => {
        const [key] = good.keys
        const pem = key?.publicKey.export({ type: 'spki', format: 'pem' }) ?? ''
        const signed = `${encode({ alg: 'HS256', kid: key?.id })}.${good.token().split('.')[1]}`
        return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`
      },
    ],
    [
      'another key under the same name',
      (good) => good.token({}, { key: { ...makeKey(), id: good.keys[0]?.id ?? '' } }),
    ],
    [
      'a key that came with it',
      (good) => good.token({}, { key: makeKey(), header: { jwk: {}, jku: good.url } }),
    ],
    ['claims changed afterwards', (good) => tampered(good.token())],
    ['one signed by its key with another algorithm named', (good) => withHeader(good, { alg: 'RS256' })],
    ['another issuer', (good) => good.token({ iss: 'https://evil.example' })],
    ['another audience', (good) => good.token({ aud: 'someone-else' })],
    ['no audience', (good) => good.token({ aud: undefined })],
    ['an audience that only begins alike', (good) => good.token({ aud: `${AUDIENCE}-2` })],
    ['one that has expired', (good) => good.token({ exp: Date.now() / 1000 - 60 })],
    ['one without expiry', (good) => good.token({ exp: undefined })],
    ['an expiry that is text', (good) => good.token({ exp: '99999999999' })],
    ['one that is not valid yet', (good) => good.token({ nbf: Date.now() / 1000 + 120 })],
    ['one of the future', (good) => good.token({ iat: Date.now() / 1000 + 3_600 })],
    ['one for nobody', (good) => good.token({ sub: undefined })],
    ['an id token, by what it calls itself', (good) => good.token({}, { header: { typ: 'id+jwt' } })],
    ['a critical extension', (good) => good.token({}, { header: { crit: ['exp'] } })],
    ['something else entirely', () => 'hunter2'],
    ['four parts', (good) => `${good.token()}.x`],
    ['one of 15,000 characters', (good) => good.token({ padding: 'x'.repeat(11_000) }).replace(/.$/, '')],
  ])('refused: %s', async (_, forge) => {
    await startProtected()
    // The attack differs from a good token in one thing only.
    expect(await statusOf(issuer.token())).toBe(200)
    const { status, headers } = await rpc('tools/list', {}, { token: forge(issuer) })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('the signature of one token does not carry another, though that one is remembered', async () => {
    await startProtected()
    const one = issuer.token()
    expect(await statusOf(one)).toBe(200)
    const [head, , signature] = one.split('.')
    expect(await statusOf(`${head}.${issuer.token({ sub: 'eve' }).split('.')[1]}.${signature}`)).toBe(401)
    expect(await statusOf(one)).toBe(200)
  })

  it('a small difference of clocks is no attack', async () => {
    await startProtected()
    const now = Date.now() / 1000
    expect(await statusOf(issuer.token({ exp: now - 5, nbf: now + 5 }))).toBe(200)
  })

  it('never in a URL', async () => {
    await startProtected()
    const response = await fetch(`${server?.url}?access_token=${issuer.token()}`)
    expect(response.status).toBe(401)
  })

  it('unknown keys do not make the server ask the issuer again and again', async () => {
    await startProtected()
    const stranger = makeKey()
    for (let i = 0; i < 50; i++)
      expect(await statusOf(issuer.token({}, { key: { ...stranger, id: `k${i}` } }))).toBe(401)
    expect(issuer.asked.get('/keys')).toBe(1)
    expect(await statusOf(issuer.token())).toBe(200)
  })

  it('many at once ask the issuer once', async () => {
    await startProtected()
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(issuer.token())))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(issuer.asked.get('/keys')).toBe(1)
  })

  it('an issuer that cannot be asked is neither a yes nor a no', async () => {
    await startProtected()
    issuer.isDown = true
    const { status, headers } = await rpc('tools/list', {}, { token: issuer.token() })
    expect([status, headers.get('retry-after')]).toEqual([503, '10'])
  })

  it('an issuer that talks without end is not listened to', async () => {
    const endless = createServer((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        if (res.destroyed) return
        res.write(' '.repeat(65_536))
        setImmediate(more)
      }
      more()
    })
    endless.listen(0, '127.0.0.1')
    await once(endless, 'listening')
    onTestFinished(() => void endless.close())
    const address = endless.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    await start({ oauth: { issuer: url, audience: AUDIENCE } })
    const key = makeKey()
    const token = signToken({ alg: 'ES256', kid: key.id }, { iss: url }, key)
    expect((await rpc('tools/list', {}, { token })).status).toBe(503)
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer in its metadata', { issuer: 'https://evil.example' }],
    ['keys over plain HTTP from elsewhere', { jwks_uri: 'http://198.51.100.1/keys' }],
    ['keys from a file', { jwks_uri: 'file:///etc/passwd' }],
  ])('an issuer is not believed: %s', async (_, metadata) => {
    await startProtected()
    issuer.metadata = metadata
    expect(await statusOf(issuer.token())).toBe(503)
  })

  it('the token stays with the server: tools see nothing of it', async () => {
    const seen: unknown[] = []
    issuer = await startIssuer()
    await start({ oauth: { issuer: issuer.url, audience: AUDIENCE } }, async (call) => {
      seen.push(call.arguments, call.caller)
      return printed('done')
    })
    const token = issuer.token()
    expect((await rpc('tools/call', { name: 'mail', arguments: { to: 'x' } }, { token })).status).toBe(200)
    expect(seen).toHaveLength(2)
    expect(JSON.stringify(seen)).toContain('oauth:ada')
    expect(JSON.stringify(seen)).not.toContain(token.slice(0, 20))
    expect(JSON.stringify(deps.records)).not.toContain(token.slice(0, 20))
  })

  it('the same flow behind a proxy says the URL of the proxy', async () => {
    await startProtected({ aliases: ['tools.example.com'] }, { resource: 'https://tools.example.com/mcp' })
    const { headers } = await rpc('tools/list')
    expect(headers.get('www-authenticate')).toContain(
      'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"',
    )
  })
})

describe('scopes', () => {
  const TOKENS = [
    { name: 'files', token: 'files-token', tools: ['fs.*'] },
    { name: 'reader', token: 'reader-token', tools: ['fs.read'] },
    { name: 'all', token: 'all-token' },
    { name: 'none', token: 'none-token', tools: [] },
  ]

  it('a list shows only what its reader may call', async () => {
    await start({ tokens: TOKENS })
    expect(await listed({ token: 'all-token' })).toEqual(['fs.read', 'fs.write', 'mail'])
    expect(await listed({ token: 'files-token' })).toEqual(['fs.read', 'fs.write'])
    expect(await listed({ token: 'reader-token' })).toEqual(['fs.read'])
    expect(await listed({ token: 'none-token' })).toEqual([])
  })

  it.each(['own', 'sdk'] as const)('a call beyond it is refused and never made: %s', async (edge) => {
    let made = 0
    await start({ tokens: TOKENS, edge }, async () => {
      made++
      return printed('done')
    })
    expect((await rpc('tools/call', { name: 'fs.read' }, { token: 'reader-token' })).status).toBe(200)
    expect(made).toBe(1)
    const { status, headers, json } = await rpc('tools/call', { name: 'fs.write' }, { token: 'reader-token' })
    expect([status, made]).toEqual([403, 1])
    expect(headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    expect(json.error.message).toContain('`fs.write`')
    expect(deps.refused).toMatchObject([
      { name: 'fs.write', reason: 'scope', caller: { principal: 'token:reader', remote: '127.0.0.1' } },
    ])
  })

  it('nor in a batch, nor in a session, nor by spelling the name in another way', async () => {
    let made = 0
    await start({ tokens: TOKENS }, async () => {
      made++
      return printed('done')
    })
    deps.style = 'safe'
    const session = await openSession('reader-token')
    const call = (name: string, id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
    const sent = { token: 'reader-token', session }
    expect((await legacy(call('fs_read'), sent)).status).toBe(200)
    expect(made).toBe(1)
    for (const body of [call('fs_write'), call('mail'), [call('fs_read', 2), call('mail', 3)]])
      expect((await legacy(body, sent)).status).toBe(403)
    for (const name of ['fs.write', ' mail', 'MAIL', 'mail\0']) await legacy(call(name), sent)
    expect(made).toBe(1)
  })

  it('a chain may use what its caller may not call', async () => {
    const seen: string[][] = []
    await start(
      { tokens: [{ name: 'chain', token: 'chain-token', tools: ['mail'] }] },
      async ({ catalog }) => {
        seen.push([...catalog.tools.keys()])
        return printed('done')
      },
    )
    expect((await rpc('tools/call', { name: 'mail' }, { token: 'chain-token' })).status).toBe(200)
    expect(seen).toEqual([['fs.read', 'fs.write', 'mail']])
  })

  it('measurements name every tool, so they are for who may see every tool', async () => {
    const { port } = await start({ tokens: TOKENS })
    const ask = (token: string) =>
      fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask('all-token')).status).toBe(200)
    expect((await ask('reader-token')).status).toBe(403)
  })

  it('the answer names the scope that would be enough', async () => {
    const issuer = await startIssuer()
    const scopes = { files: ['fs.*'], post: ['mail'] }
    await start({ oauth: { issuer: issuer.url, audience: AUDIENCE, scopes } })
    const token = issuer.token({ scope: 'openid files' })
    expect(await listed({ token })).toEqual(['fs.read', 'fs.write'])
    const { status, headers } = await rpc('tools/call', { name: 'mail' }, { token })
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope", scope="post", resource_metadata="http/,
    )
    expect(await listed({ token: issuer.token() })).toEqual([])
    expect(await listed({ token: issuer.token({ scp: ['post'] }) })).toEqual(['mail'])
  })

  it('a tool that no scope names is nobody’s', async () => {
    const issuer = await startIssuer()
    await start({ oauth: { issuer: issuer.url, audience: AUDIENCE, scopes: { files: ['fs.*'] } } })
    const { status } = await rpc(
      'tools/call',
      { name: 'mail' },
      { token: issuer.token({ scope: 'files mail *' }) },
    )
    expect(status).toBe(403)
  })

  it('a token that was taken back opens nothing any more, and a session of it neither', async () => {
    const { port } = await start({ tokens: TOKENS })
    const session = await openSession('all-token')
    server?.renew({ token: null, tokens: [{ name: 'new', token: 'new-token' }] }, undefined)
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await legacy(list, { token: 'all-token', session })).status).toBe(401)
    expect((await legacy(list, { token: 'new-token', session })).status).toBe(404)
    expect(await listed({ token: 'new-token' })).toHaveLength(3)
    expect(port).toBeGreaterThan(0)
  })

  it.each(['own', 'sdk'] as const)('a session is of no use to another principal: %s', async (edge) => {
    await start({ tokens: TOKENS, edge })
    const session = await openSession('all-token')
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    expect((await legacy(list, { token: 'all-token', session })).status).toBe(200)
    for (const token of ['files-token', 'none-token']) {
      expect((await legacy(list, { token, session })).status).toBe(404)
      const ended = await fetch(server?.url ?? '', {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}`, 'mcp-session-id': session },
      })
      expect(ended.status).toBe(404)
    }
    expect((await legacy(list, { token: 'all-token', session })).status).toBe(200)
  })
})

describe('limits of each client', () => {
  const limits = (clients: HttpSettings['limits']['clients']) => ({ limits: { ...LIMITS, clients } })
  const tokens = [
    { name: 'greedy', token: 'greedy-token' },
    { name: 'modest', token: 'modest-token' },
  ]

  it('who sends too much waits, and nobody else does', async () => {
    await start({ tokens, ...limits({ rate: 1, concurrency: null }) })
    const statuses = []
    for (let i = 0; i < 14; i++) statuses.push((await rpc('ping', {}, { token: 'greedy-token' })).status)
    expect(statuses.slice(0, 10)).not.toContain(429)
    expect(statuses.at(-1)).toBe(429)
    const { status, headers } = await rpc('tools/list', {}, { token: 'greedy-token' })
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
    expect((await rpc('tools/list', {}, { token: 'modest-token' })).status).toBe(200)
  })

  it('guessing tokens counts, for the address it comes from', async () => {
    await start({ tokens, ...limits({ rate: 1, concurrency: null }) })
    const statuses = []
    for (let i = 0; i < 14; i++) statuses.push((await rpc('tools/list', {}, { token: `guess-${i}` })).status)
    expect(statuses[0]).toBe(401)
    expect(statuses.at(-1)).toBe(429)
    expect((await rpc('tools/list', {}, { token: 'modest-token' })).status).toBe(200)
  })

  it.each(['own', 'sdk'] as const)(
    'who has too much running is refused, and nobody else: %s',
    async (edge) => {
      const ends: (() => void)[] = []
      await start({ tokens, edge, ...limits({ rate: null, concurrency: 2 }) }, async () => {
        await new Promise<void>((resolve) => ends.push(resolve))
        return printed('done')
      })
      const call = (token: string) => rpc('tools/call', { name: 'mail' }, { token })
      const running = [call('greedy-token'), call('greedy-token')]
      await until(() => ends.length === 2, 'two calls')
      const { status, headers } = await call('greedy-token')
      expect([status, headers.get('retry-after')]).toEqual([429, '1'])
      expect(deps.refused).toMatchObject([{ name: 'mail', reason: 'concurrency' }])
      const other = call('modest-token')
      await until(() => ends.length === 3, 'the call of someone else')
      for (const end of ends) end()
      expect((await Promise.all([...running, other])).map((one) => one.status)).toEqual([200, 200, 200])
      // Its places are free again.
      const again = call('greedy-token')
      await until(() => ends.length === 4, 'a call after the others')
      ends.at(-1)?.()
      expect((await again).status).toBe(200)
    },
  )

  it('a batch is no way around it', async () => {
    let most = 0
    let now = 0
    await start({ tokens, ...limits({ rate: null, concurrency: 2 }) }, async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 30))
      now--
      return printed('done')
    })
    const session = await openSession('greedy-token')
    const batch = Array.from({ length: 8 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: 'mail' },
    }))
    await legacy(batch, { token: 'greedy-token', session })
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2)
  })
})

describe('TLS', () => {
  const certificate = makeCertificate(['localhost', 'tools.example.com', '127.0.0.1'])

  function ask(
    port: number,
    options: object = {},
    path = '/',
  ): Promise<{ status: number; text: string; serial: string }> {
    return new Promise((resolve, reject) => {
      const sent = requestHttps(
        { host: '127.0.0.1', port, path, ca: certificate.cert, agent: false, ...options },
        (response) => {
          const socket = response.socket as import('node:tls').TLSSocket
          const serial = socket.getPeerCertificate().serialNumber
          let text = ''
          response.on('data', (chunk) => {
            text += String(chunk)
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text, serial }))
        },
      )
      sent.on('error', reject)
      sent.end()
    })
  }

  it('serves, says so in its URL, and answers to the names of its certificate alone', async () => {
    const { port, url } = await start({ tls: certificate })
    expect(url).toBe(`https://127.0.0.1:${port}/mcp`)
    expect((await ask(port)).text).toContain('This is Orla')
    const named = { headers: { host: `tools.example.com:${port}` } }
    expect((await ask(port, named)).status).toBe(200)
    expect((await ask(port, { headers: { host: 'evil.example' }, servername: 'localhost' })).status).toBe(403)
    const origin = { headers: { origin: `http://localhost:${port}` } }
    expect((await ask(port, origin)).status).toBe(403)
  })

  it.each(['TLSv1', 'TLSv1.1'] as const)('nobody talks it down to %s', async (version) => {
    const { port } = await start({ tls: certificate })
    const downgraded = { minVersion: version, maxVersion: version, ciphers: 'ALL@SECLEVEL=0' }
    await expect(ask(port, downgraded)).rejects.toThrow()
    expect((await ask(port, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).status).toBe(200)
  })

  it('plain HTTP gets no answer there, and the server lives on', async () => {
    const { port } = await start({ tls: certificate })
    const { received, closed } = await raw(port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await closed
    expect(received()).not.toContain('HTTP/1.1 200')
    expect((await ask(port)).status).toBe(200)
  })

  it('a handshake that never ends is cut, while others are served and places are scarce', async () => {
    const { port } = await start({ tls: certificate, headersMs: 300, limits: { ...LIMITS, connections: 2 } })
    const silent = await Promise.all(
      [0, 1].map(async () => {
        const socket = connectPlain(port, '127.0.0.1')
        socket.on('error', () => {})
        await once(socket, 'connect')
        return { socket, closed: once(socket, 'close') }
      }),
    )
    expect((await ask(port)).status).toBe(200)
    await Promise.all(silent.map(({ closed }) => closed))
    await until(() => server?.stats().connections === 0, 'their places are free')
  })

  it('headers that never end are cut there too', async () => {
    const { port } = await start({ tls: certificate, headersMs: 300 })
    const socket = connectTls({ host: '127.0.0.1', port, ca: certificate.cert })
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    socket.write('GET / HTTP/1.1\r\nHost: local')
    socket.resume()
    await once(socket, 'close')
  })

  it('a new certificate is for new connections; those that are open stay', async () => {
    const { port } = await start({ tls: certificate })
    const open = connectTls({ host: '127.0.0.1', port, ca: certificate.cert })
    await once(open, 'secureConnect')
    const next = makeCertificate(['127.0.0.1'], { serial: 7 })
    server?.renew({ token: null }, next)
    expect((await ask(port, { ca: next.cert })).serial).toBe('07')
    open.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(open, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200/)
    open.destroy()
  })

  it('a pair that does not fit is refused, and the old one stays', async () => {
    const { port } = await start({ tls: certificate })
    const wrong = { cert: makeCertificate().cert, key: makeCertificate().key }
    expect(() => server?.renew({ token: null }, wrong)).toThrow(/the key belongs to another certificate/)
    expect((await ask(port)).status).toBe(200)
    await expect(listenHttp(deps, settings({ tls: { cert: 'x', key: 'y' } }))).rejects.toMatchObject({
      code: 'E_TLS',
    })
  })

  it('a client that leaves in the middle of anything is no crash', async () => {
    const { port } = await start({ tls: certificate })
    for (let i = 0; i < 20; i++) {
      const socket = connectTls({ host: '127.0.0.1', port, ca: certificate.cert })
      socket.on('error', () => {})
      if (i % 2 === 0) await once(socket, 'secureConnect')
      socket.write(
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
      )
      socket.destroy()
    }
    expect((await ask(port)).status).toBe(200)
    await until(() => server?.stats().connections === 0, 'nothing is left of them')
  })
})

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

function withHeader(issuer: Issuer, header: object): string {
  return issuer.token({}, { header: { ...header } })
}

function tampered(token: string): string {
  const [head, body = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  return `${head}.${encode({ ...claims, sub: 'admin' })}.${signature}`
}
