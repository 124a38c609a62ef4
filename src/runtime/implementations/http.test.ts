import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { A_PACKAGE } from '../../../test/package-facts.ts'
import type {
  CallResult,
  Candidate,
  HttpMethod,
  JsonObject,
  JsonSchema,
  McpkgAuth,
  Measurement,
  Tool,
} from '../../model/index.ts'
import { createHttpClient, createNodeStarter } from '../../platform/index.ts'
import { createCallTool } from '../index.ts'

const servers = new Set<Server>()
const starter = createNodeStarter()
const http = createHttpClient({ resolve: async () => [{ address: '10.0.0.1', family: 4 }] })
const measured: Measurement[] = []
const secrets: Record<string, string> = {}
const callTool = createCallTool({
  starter,
  settings: () => ({ timeoutMs: 30_000, concurrency: 8, outputBytes: 100_000 }),
  environment: () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin' }),
  onCall: (measurement) => measured.push(measurement),
  http,
  secret: (name) => secrets[name],
})

beforeEach(() => {
  measured.length = 0
  for (const name of Object.keys(secrets)) delete secrets[name]
})
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  servers.clear()
})
afterAll(async () => {
  http.close()
  await starter.close()
})

describe('an http endpoint', () => {
  it('Q99: gets the arguments as JSON and answers with JSON', async () => {
    const { base } = await serve(async (request, response) => {
      json(response, { got: JSON.parse(await text(request)), type: request.headers['content-type'] ?? '' })
    })
    const result = await call(endpoint(base, 'POST'), { message: 'hällo' })
    expect(result).toMatchObject({
      ok: true,
      output: { kind: 'value', value: { got: { message: 'hällo' }, type: 'application/json' } },
    })
    expect(measured).toMatchObject([{ implementation: 'endpoint', bytesIn: 20, success: true }])
  })

  it('Q99: gets them in the query and the path', async () => {
    const { base } = await serve((request, response) => json(response, { url: request.url ?? '' }))
    const result = await call(endpoint(`${base}/users/{id}`), { id: 'a b', q: 'x' })
    expect(value(result)).toEqual({ url: '/users/a%20b?q=x' })
    expect(await call(endpoint(`${base}/users/{id}/x`), { id: '..' })).toMatchObject({
      reason: 'input',
      message: '`api` cannot start: the argument `id` must not be ..: as part of the URL it leads elsewhere',
    })
  })

  it.each([
    ['text/plain', '12', '12'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xfc]), 'ü'],
    ['text/html', '{"a":1}', { a: 1 }],
    ['', '12', 12],
    ['application/problem+json', '"x"', 'x'],
  ])('Q99: %s answers %s', async (type, body, expected) => {
    const { base } = await serve((_, response) => {
      if (type !== '') response.setHeader('content-type', type)
      response.end(body)
    })
    expect(value(await call(endpoint(base), {}, {}))).toEqual(expected)
  })

  it('Q99: an answer that is neither, or not what it says', async () => {
    const { base } = await serve((request, response) => {
      response.setHeader('content-type', request.url === '/png' ? 'image/png' : 'application/json')
      response.end(request.url === '/png' ? Buffer.from([0x89, 0xff]) : '<html>')
    })
    expect(await call(endpoint(`${base}/png`), {})).toMatchObject({
      reason: 'output',
      message: '`api` answered with image/png, which is neither JSON nor text',
    })
    expect(await call(endpoint(base), {})).toMatchObject({
      reason: 'output',
      message: '`api` answered with application/json that is not JSON',
    })
  })

  it('Q99: an answer without a body is its status', async () => {
    const { base } = await serve((request, response) => {
      response.setHeader('x-count', '7')
      if (request.method === 'DELETE') response.statusCode = 204
      response.end()
    })
    expect(value(await call(endpoint(base, 'DELETE'), {}))).toEqual({ status: 204 })
    expect(value(await call(endpoint(base, 'HEAD'), {}))).toMatchObject({
      status: 200,
      headers: { 'x-count': '7' },
    })
  })

  it('Q99: an answer that does not fit the output schema', async () => {
    const { base } = await serve((_, response) => json(response, { a: 'x' }))
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    expect(await call(endpoint(base), {}, schema)).toMatchObject({
      reason: 'output',
      message: '`api` returned JSON that does not fit its output schema: `/a` must be number',
    })
  })

  it('Q99: a status of 400 and more is a failure with an excerpt', async () => {
    const { base } = await serve((_, response) => {
      response.statusCode = 402
      response.end(`no money\n${'x'.repeat(1000)}`)
    })
    const result = await call(endpoint(`${base}/pay`, 'POST'), {})
    const said = `\`api\` failed: POST ${base}/pay answered 402`
    expect(result).toMatchObject({ ok: false, reason: 'exit' })
    expect(message(result)).toMatch(new RegExp(`^${said}: no money.{1,10}x+…$`))
    expect(result.output).toMatchObject({
      content: [{ text: said }, { text: expect.stringMatching(/^no money\nx{1000}$/) }],
    })
  })

  it('Q99: an answer beyond the limit', async () => {
    const { base } = await serve((_, response) => response.end('x'.repeat(200_000)))
    expect(await call(endpoint(base), {})).toMatchObject({
      reason: 'limit',
      message: '`api` answered with more than 97.66 KiB; the first 64 KiB are kept',
    })
  })

  it('Q99: a time limit, and a caller who gives up', async () => {
    const { base, heard } = await serve(() => {})
    expect(await call({ ...endpoint(base), timeoutMs: 200 }, {})).toMatchObject({
      reason: 'timeout',
      message: '`api` did not finish within 200 ms',
    })
    const stop = new AbortController()
    const result = call(endpoint(base), {}, undefined, stop.signal)
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(2)
    stop.abort()
    expect(await result).toMatchObject({ reason: 'cancelled', message: '`api` was cancelled' })
  })

  it('Q99: a connection that is reset, and a name that leads inside', async () => {
    const { base } = await serve((request) => request.socket.resetAndDestroy())
    expect(await call(endpoint(base), {})).toMatchObject({
      reason: 'crashed',
      message: `\`api\` gave no answer: ${new URL(base).host} broke the connection off`,
    })
    expect(await call(endpoint('https://api.example.com/x'), {})).toMatchObject({
      reason: 'spawn',
      message: expect.stringMatching(
        /^`api` cannot start: GET https:\/\/api\.example\.com\/x is not sent: the name .* private network/,
      ),
    })
  })
})

describe('several ways', () => {
  it('Q117: an endpoint that nobody can reach, or whose secret is missing, makes room for the next', async () => {
    const { base, heard } = await serve((_, response) => json(response, { answered: true }))
    const { base: nobody } = await serve(() => {})
    const last = [...servers].at(-1)
    last?.close()
    if (last) servers.delete(last)
    const unknown = { ...endpoint(base, 'POST', { type: 'bearer', env: ['TOKEN'] }), id: 'unknown' }
    const result = await call([{ ...endpoint(nobody), id: 'gone' }, unknown, endpoint(base)], {})
    expect(value(result)).toEqual({ answered: true })
    expect(heard.map(({ method }) => method)).toEqual(['GET'])
    expect(measured).toMatchObject([
      {
        implementation: 'endpoint',
        passedOver: [
          { implementation: 'gone', message: `nothing listens at ${new URL(nobody).host}` },
          { implementation: 'unknown', message: expect.stringMatching(/^the secret `TOKEN` is not set/) },
        ],
      },
    ])
  })

  it('Q117: one that was heard has started', async () => {
    const { base, heard } = await serve((_, response) => {
      response.writeHead(302, { location: 'http://169.254.1.1/' }).end()
    })
    expect(await call([endpoint(base), endpoint(base)], {})).toMatchObject({ reason: 'crashed' })
    expect(heard).toHaveLength(1)
  })
})

describe('secrets', () => {
  const BEARER: Partial<McpkgAuth> = { type: 'bearer', env: ['TOKEN'] }

  it('Q100: a missing one is named before anything is sent', async () => {
    const { base, heard } = await serve((_, response) => json(response, {}))
    expect(await call(endpoint(base, 'GET', BEARER), {})).toMatchObject({
      reason: 'spawn',
      message:
        '`api` cannot start: the secret `TOKEN` is not set (orla secret set TOKEN, or the variable TOKEN)',
    })
    expect(heard).toEqual([])
  })

  it('Q100: nobody sees one, however the server repeats it', async () => {
    secrets.TOKEN = 's3cr"t/tøken'.replace('ø', 'o')
    const { base } = await serve((request, response) => {
      if (request.url === '/bad') response.statusCode = 400
      const got = request.headers.authorization ?? ''
      json(response, { got, [got]: [encodeURIComponent(got)], n: 12 })
    })
    const good = await call(endpoint(base, 'GET', BEARER), {})
    expect(value(good)).toEqual({
      got: 'Bearer [secret]',
      'Bearer [secret]': ['Bearer%20[secret]'],
      n: 12,
    })
    const bad = await call(endpoint(`${base}/bad`, 'GET', BEARER), {})
    expect(message(bad)).toContain('Bearer [secret]')
    expect(JSON.stringify([good, bad, measured])).not.toMatch(/s3cr|t\/token/)
  })

  it('Q100: an API key in the query stays out of messages', async () => {
    secrets.KEY = 'k3y-of-mine'
    const { base, heard } = await serve((request, response) => {
      response.statusCode = 500
      response.end(`no ${request.url}`)
    })
    const auth: Partial<McpkgAuth> = { type: 'api_key', env: ['KEY'], query: 'key' }
    expect(message(await call(endpoint(base, 'GET', auth), {}))).toMatch(
      /answered 500: no \/\?key=\[secret\]$/,
    )
    expect(heard[0]?.url).toBe('/?key=k3y-of-mine')
  })
})

describe('oauth2 client credentials', () => {
  const AUTH: Partial<McpkgAuth> = { type: 'oauth2', env: ['ID', 'SECRET'], scopes: ['read'] }

  /** Gives out tokens t1000, t1001, … and accepts only the newest, or those `accepts` says. */
  async function provider(answer: JsonObject = {}, accepts = (_: string, newest: string) => newest) {
    secrets.ID = 'client'
    secrets.SECRET = 'p4ssword'
    let issued = 999
    const asked: string[] = []
    const { base } = await serve(async (request, response) => {
      if (request.url === '/token') {
        asked.push(`${request.headers.authorization} ${await text(request)}`)
        issued++
        json(response, { access_token: `t${issued}`, expires_in: 3600, ...answer })
        return
      }
      const [, token = ''] = (request.headers.authorization ?? '').split(' ')
      if (token !== accepts(token, `t${issued}`)) response.statusCode = 401
      json(response, { token })
    })
    return {
      asked,
      api: endpoint(base, 'POST', { ...AUTH, tokenUrl: `${base}/token` }),
      renew: () => issued++,
    }
  }

  it('Q100: a token is asked for once and kept, also by calls at the same time', async () => {
    const { api, asked } = await provider()
    const results = await Promise.all([call(api, {}), call(api, {}), call(api, {})])
    results.push(await call(api, {}))
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true])
    expect(results.map(value)).toEqual(results.map(() => ({ token: '[secret]' })))
    expect(asked).toEqual([`Basic ${btoa('client:p4ssword')} grant_type=client_credentials&scope=read`])
  })

  it('Q100: one that is refused is replaced, once', async () => {
    const { api, asked, renew } = await provider()
    expect(await call(api, {})).toMatchObject({ ok: true })
    renew()
    expect(await call(api, {})).toMatchObject({ ok: true })
    expect(asked).toHaveLength(2)
  })

  it('Q100: a second refusal is the answer', async () => {
    const { api, asked } = await provider({}, () => 'another')
    const result = await call(api, {})
    expect(message(result)).toMatch(/answered 401: \{"token":"\[secret\]"\}$/)
    expect(asked).toHaveLength(2)
  })

  it('Q100: one that is about to expire is not used', async () => {
    const { api, asked } = await provider({ expires_in: 0.001 })
    await call(api, {})
    await expect
      .poll(async () => (await call(api, {})).ok && asked.length, { timeout: 20_000 })
      .toBeGreaterThan(1)
  })

  it('Q100: no token, no call', async () => {
    secrets.ID = 'client'
    secrets.SECRET = 'p4ssword'
    const { base, heard } = await serve((request, response) => {
      response.statusCode = 401
      json(response, {
        error: 'invalid_client',
        error_description: `not p4ssword ${request.headers.authorization}`,
      })
    })
    const result = await call(endpoint(base, 'POST', { ...AUTH, tokenUrl: `${base}/token` }), {})
    expect(message(result)).toBe(
      `\`api\` was not called: no token came from ${base}/token: it answered 401 (invalid_client: not [secret] Basic [secret])`,
    )
    expect(heard).toHaveLength(1)
  })
})

function call(
  candidates: Candidate | readonly Candidate[],
  args: JsonObject,
  outputSchema: JsonSchema = {},
  signal = new AbortController().signal,
): Promise<CallResult> {
  const tool: Tool = {
    name: 'api',
    version: '1.0.0',
    description: '',
    outputSchema,
    origin: { kind: 'package', file: '', folder: '', scope: 'project', package: A_PACKAGE },
    run: { kind: 'implementations', candidates: [candidates].flat() },
    digest: '',
  }
  return callTool({
    catalog: { tools: new Map([[tool.name, tool]]), problems: [] },
    name: tool.name,
    arguments: args,
    signal,
    caller: { connection: 'test', requestId: 1, transport: 'cli', era: 'none' },
  })
}

function endpoint(url: string, method: HttpMethod = 'GET', auth: Partial<McpkgAuth> = {}): Candidate {
  return {
    id: 'endpoint',
    kind: 'http',
    endpoint: { type: 'http', method, url },
    auth: { type: 'none', scopes: [], env: [], hints: {}, ...auth },
  }
}

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

function json(response: ServerResponse, value: JsonObject): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(value))
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function value({ output }: CallResult) {
  return output.kind === 'value' ? output.value : output
}

function message(result: CallResult): string {
  return result.ok ? '' : result.message
}
