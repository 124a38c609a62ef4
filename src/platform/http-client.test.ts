import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createHttpClient, type HttpMessage } from './http-client.ts'
import { refuseHost } from './http-refusal.ts'

const servers = new Set<Server>()
const client = createHttpClient()
const SECRET = { authorization: 'Bearer s3cret', 'x-api-key': 's3cret', accept: 'application/json' }

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  servers.clear()
})
afterAll(() => client.close())

describe('requests', () => {
  it('Q99: send method, headers and body, and give back status, headers and body', async () => {
    const { base, heard } = await serve(async (request, response) => {
      response.statusCode = 201
      response.end(`${request.method} ${request.headers.authorization} ${await text(request)}`)
    })
    const answer = await send(base, { method: 'POST', headers: SECRET, body: '{"a":"ü"}' })
    expect(answer).toMatchObject({ kind: 'answer', status: 201, isCut: false })
    expect(body(answer)).toBe('POST Bearer s3cret {"a":"ü"}')
    expect(heard[0]?.headers).toMatchObject({ 'user-agent': 'orla', 'content-length': '10' })
  })

  it('Q99: keep a connection for the next request', async () => {
    const { base, heard } = await serve((_, response) => response.end('x'))
    await send(base)
    await send(base)
    expect(heard[1]?.socket.remotePort).toBe(heard[0]?.socket.remotePort)
  })

  it('Q99: go on when the server has dropped the kept connection, unless that could do something twice', async () => {
    let drops = false
    const { base } = await serve((request, response) => {
      if (drops) {
        drops = false
        request.socket.resetAndDestroy()
      } else response.end('x')
    })
    await send(base)
    drops = true
    expect(await send(base)).toMatchObject({ status: 200 })
    drops = true
    expect(await send(base, { method: 'POST', body: '{}' })).toMatchObject({ kind: 'broken' })
  })

  it('Q99: HEAD and 204 have no body, whatever their headers say', async () => {
    const { base } = await serve((request, response) => {
      response.setHeader('content-encoding', 'gzip')
      if (request.method === 'DELETE') response.statusCode = 204
      response.end()
    })
    for (const method of ['HEAD', 'DELETE']) {
      const answer = await send(base, { method })
      expect(answer).toMatchObject({ kind: 'answer', isCut: false })
      expect(body(answer)).toBe('')
    }
  })

  it('Q99: gzip is unpacked', async () => {
    const { base } = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('gzip')
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync('hello'))
    })
    expect(body(await send(base))).toBe('hello')
  })

  it.each(['plain', 'gzip'])('Q99: more than allowed is cut, also when it comes as %s', async (kind) => {
    const { base } = await serve((_, response) => {
      const zeros = Buffer.alloc(20_000_000)
      if (kind === 'gzip') response.setHeader('content-encoding', 'gzip')
      response.end(kind === 'gzip' ? gzipSync(zeros) : zeros)
    })
    const answer = await send(base, { maxBytes: 100_000 })
    expect(answer).toMatchObject({ kind: 'answer', isCut: true })
    expect(body(answer)).toHaveLength(65_536)
  })

  it('Q99: gzip that is none and an unknown packing are no answers', async () => {
    const { base } = await serve((request, response) => {
      response.setHeader('content-encoding', request.url === '/zstd' ? 'zstd' : 'gzip')
      response.end('not packed')
    })
    expect(await send(base)).toMatchObject({ kind: 'broken' })
    expect(await send(`${base}/zstd`)).toMatchObject({
      kind: 'broken',
      message: 'it is packed with zstd, which nobody asked for',
    })
  })

  it('Q99: a connection that is reset, before and in the answer', async () => {
    const { base } = await serve((request, response) => {
      if (request.url === '/half') {
        response.writeHead(200, { 'content-length': '100' })
        response.write('half', () => request.socket.resetAndDestroy())
      } else request.socket.resetAndDestroy()
    })
    const message = `${new URL(base).host} broke the connection off`
    expect(await send(base)).toEqual({ kind: 'broken', message })
    expect(await send(`${base}/half`)).toEqual({ kind: 'broken', message })
  })

  it('Q99: nobody there', async () => {
    const { base } = await serve(() => {})
    for (const server of servers) server.close()
    servers.clear()
    expect(await send(base)).toEqual({
      kind: 'unreachable',
      message: `nothing listens at ${new URL(base).host}`,
    })
    const nameless = createHttpClient({
      resolve: async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
    })
    expect(await nameless.send(message('http://name.invalid/'))).toEqual({
      kind: 'unreachable',
      message: 'the name name.invalid is not known',
    })
  })

  it.each(['/never', '/slowly'])('Q99: a signal ends what does not end by itself: %s', async (path) => {
    const { base, heard } = await serve((request, response) => {
      if (request.url === '/slowly') response.write('.')
    })
    const stop = new AbortController()
    const answer = send(base + path, { signal: stop.signal })
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(1)
    stop.abort()
    expect(await answer).toEqual({ kind: 'cancelled' })
    expect(await send(base, { signal: stop.signal })).toEqual({ kind: 'cancelled' })
    expect(heard).toHaveLength(1)
  })
})

describe('redirects', () => {
  it('Q100: keep the credentials on the same origin', async () => {
    const { base, heard } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(307, { location: '/next' })
      response.end('x')
    })
    expect(await send(base, { method: 'POST', headers: SECRET, body: '{}' })).toMatchObject({ status: 200 })
    expect(heard[1]).toMatchObject({ method: 'POST', headers: { authorization: 'Bearer s3cret' } })
  })

  it('Q100: take no credentials to another origin', async () => {
    const other = await serve((_, response) => response.end('other'))
    const { base } = await serve((_, response) => {
      response.writeHead(308, { location: other.base }).end()
    })
    const answer = await send(base, { method: 'PUT', headers: SECRET, body: '{}' })
    expect(body(answer)).toBe('other')
    expect(other.heard[0]?.method).toBe('PUT')
    expect(other.heard[0]?.headers).toMatchObject({ accept: 'application/json' })
    expect(JSON.stringify(other.heard[0]?.rawHeaders)).not.toContain('s3cret')
  })

  it('Q99: 303 asks for what there is to see', async () => {
    const { base, heard } = await serve((request, response) => {
      if (request.url === '/') response.writeHead(303, { location: 'see' })
      response.end('x')
    })
    await send(base, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect(heard[1]).toMatchObject({ method: 'GET', url: '/see' })
    expect(heard[1]?.headers).not.toHaveProperty('content-type')
  })

  it('Q99: without end, or to nowhere, are no answer', async () => {
    const { base, heard } = await serve((request, response) => {
      response.writeHead(302, { location: request.url === '/' ? '/' : 'ftp://x/' }).end()
    })
    expect(await send(base)).toEqual({ kind: 'broken', message: 'it redirects more than 5 times' })
    expect(heard).toHaveLength(6)
    expect(await send(`${base}/ftp`)).toMatchObject({
      kind: 'broken',
      message: expect.stringMatching(/^it redirects to /),
    })
  })

  it('a server on this machine may lead to this machine, and nobody to a link-local address', async () => {
    const inside = await serve((_, response) => response.end('inside'))
    const local = `http://localhost:${new URL(inside.base).port}/`
    for (const url of [local, inside.base, 'http://169.254.1.1/', 'http://[fe80::1]/']) {
      const { base } = await serve((_, response) => {
        response.writeHead(302, { location: url }).end()
      })
      const answer = await send(base)
      if (url.endsWith('.1/') || url.endsWith(']/'))
        expect(answer).toMatchObject({
          kind: 'broken',
          message: expect.stringMatching(/^its address is link-local/),
        })
      else expect(body(answer)).toBe('inside')
    }
  })

  it.each(['http://localhost/', 'http://127.0.0.1/', 'http://10.0.0.1/', 'http://[::1]/'])(
    'a public server does not lead to %s, whether or not there is a connection to it',
    (url) => {
      expect(refuseHost(new URL(url), 'public')?.message).toMatch(/^a public server leads into a private/)
      expect(refuseHost(new URL(url), undefined)).toBeUndefined()
    },
  )
})

describe('addresses', () => {
  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.1', '::1', 'fd00::1', '::ffff:10.0.0.1'])(
    'a name that leads to %s is refused before anything is sent',
    async (address) => {
      const family = address.includes(':') ? 6 : 4
      const guarded = createHttpClient({ resolve: async () => [{ address, family }] })
      expect(await guarded.send(message('http://api.example.com/'))).toEqual({
        kind: 'refused',
        message: `the name api.example.com leads into a private network (${address}); if that is meant, the URL must have the address itself`,
      })
      guarded.close()
    },
  )

  it('one private address among public ones is enough', async () => {
    const resolve = async () => [
      { address: '203.0.113.7', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    const guarded = createHttpClient({ resolve })
    expect(await guarded.send(message('https://api.example.com/'))).toMatchObject({ kind: 'refused' })
    guarded.close()
  })

  // Judged only: if this failed, a request would really be sent.
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://100.100.100.200/',
    'http://[::ffff:100.100.100.200]/',
    'http://168.63.129.16/',
    'http://[fd00:ec2::254]/',
  ])('%s is never asked', (url) => {
    expect(refuseHost(new URL(url), undefined)?.message).toMatch(/link-local|credentials/)
  })

  it('a name is looked up once, and that address is asked', async () => {
    const { base } = await serve((request, response) => response.end(request.headers.host))
    const { port } = new URL(base)
    const asked: string[] = []
    const resolve = async (name: string) => {
      asked.push(name)
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const once = createHttpClient({ resolve })
    expect(body(await once.send(message(`http://tool.localhost:${port}/`)))).toBe(`tool.localhost:${port}`)
    expect(asked).toEqual(['tool.localhost'])
    once.close()
  })
})

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

async function serve(answer: Answer): Promise<{ base: string; heard: IncomingMessage[] }> {
  const heard: IncomingMessage[] = []
  const server = createServer((request, response) => {
    heard.push(request)
    void answer(request, response)
  })
  servers.add(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // Port 0 on an address gives an AddressInfo.
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

function message(url: string, rest: Partial<HttpMessage> = {}): HttpMessage {
  return {
    method: 'GET',
    url,
    headers: {},
    signal: new AbortController().signal,
    maxBytes: 1_000_000,
    ...rest,
  }
}

function send(url: string, rest: Partial<HttpMessage> = {}) {
  return client.send(message(url, rest))
}

function body(answer: Awaited<ReturnType<typeof send>>): string {
  return answer.kind === 'answer' ? answer.body.toString('utf8') : JSON.stringify(answer)
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
