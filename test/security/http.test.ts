import { once } from 'node:events'
import { request } from 'node:http'
import type { LookupFunction } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHttpClient } from '../../src/platform/index.ts'
import { serveHttp } from '../stories/mcpkg-kit.ts'
import { makeProject } from '../stories/project.ts'
import { makeRepository, registriesYaml } from '../stories/repositories.ts'
import { callEndpoint as call, endpointFiles } from './endpoint.ts'

/** One IPv4 address in the ways that programs read it. */
const SPELLINGS: Readonly<Record<string, (parts: readonly number[]) => string>> = {
  plain: (parts) => parts.join('.'),
  decimal: ([a = 0, b = 0, c = 0, d = 0]) => String(((a * 256 + b) * 256 + c) * 256 + d),
  hexadecimal: (parts) => `0x${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`,
  octal: (parts) => parts.map((part) => `0${part.toString(8)}`).join('.'),
  'two numbers': ([a = 0, b = 0, c = 0, d = 0]) => `${a}.${(b * 256 + c) * 256 + d}`,
  'with a dot behind it': (parts) => `${parts.join('.')}.`,
  'in IPv6': (parts) => `[::ffff:${parts.join('.')}]`,
  'in wide letters': (parts) =>
    parts.join('.').replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
}
const LOOPBACK = [127, 0, 0, 1]
const METADATA = [169, 254, 169, 254]
const NEVER = /link-local|hands out its credentials/

describe('an address that is nobody’s business', () => {
  it.each(Object.entries(SPELLINGS))(
    'Q99: spelled %s: leads to what it means, and is never asked',
    async (_, spell) => {
      const { url, requests } = await serveHttp(() => ({ body: '{"said":"inside"}' }))
      const { port } = new URL(url)
      // The same spelling of an address that a package may name arrives.
      const declared = await call(`http://${spell(LOOPBACK)}:${port}/`)
      expect([declared.status, declared.stdout, requests.length]).toEqual([
        0,
        expect.stringContaining('inside'),
        1,
      ])
      const { status, stdout, stderr } = await call(`http://${spell(METADATA)}/latest/meta-data`)
      expect([status === 0, stdout, stderr]).toEqual([false, '', expect.stringMatching(NEVER)])
    },
  )

  it.each([
    '100.100.100.200',
    '168.63.129.16',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
  ])('Q99: where clouds keep credentials, %s, is never asked, by no command', async (host) => {
    const registry = makeRepository({
      'registry.yaml': `version: 1\nregistry_url: https://example.com/r\ntools:\n  - {name: acme.ask, description: Asks, repository: "https://${host}/ask.mcpkg"}\n`,
    })
    registry.commit()
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    const tries = [
      call(`http://${host}/`),
      project.orla(['install', `https://${host}/ask.mcpkg`, '--yes']),
      project.orla(['install', 'acme.ask', '--yes']),
    ]
    for (const { status, stderr } of await Promise.all(tries))
      expect([status === 0, stderr]).toEqual([false, expect.stringMatching(NEVER)])
  })

  it('Q99, Q104: is not reached by way of a server that leads there', async () => {
    const { url, requests } = await serveHttp(({ path }) => ({
      status: path === '/' ? 200 : 404,
      body: '{"said":"inside"}',
    }))
    let location = ''
    const hop = await leading(() => location)
    location = `${url}/`
    expect((await call(`${hop.url}/`)).stdout).toContain('inside')
    const asked = requests.length
    for (const host of Object.values(SPELLINGS).map((spell) => spell(METADATA))) {
      location = `http://${host.replace(/[^ -~]/g, encodeURIComponent)}/latest`
      const project = makeProject(endpointFiles(`${hop.url}/`))
      const tries = [
        project.orla(['call', 'acme.ask', '{}']),
        project.orla(['install', `${hop.url}/x.mcpkg`, '--yes']),
      ]
      const [called, installed] = await Promise.all(tries)
      expect([called?.status === 0, called?.stderr], host).toEqual([false, expect.stringMatching(NEVER)])
      expect([installed?.status === 0, installed?.stderr], host).toEqual([
        false,
        expect.stringMatching(/link-local|not protected on its way/),
      ])
    }
    expect([requests.length, hop.requests.length > 8]).toEqual([asked, true])
  })

  it('Q99: is not reached by a name that means something else the second time', async () => {
    const { url, requests } = await serveHttp(() => ({ body: '"inside"' }))
    const { port } = new URL(url)
    const makeResolver = () => {
      let asked = 0
      return {
        asked: () => asked,
        resolve: async () => [{ address: asked++ === 0 ? '203.0.113.7' : '127.0.0.1', family: 4 }],
      }
    }
    // Who judges one answer and goes by the next gets inside.
    const naive = makeResolver()
    expect((await naive.resolve())[0]?.address).toBe('203.0.113.7')
    const lookup: LookupFunction = (_name, options, done) => {
      void naive
        .resolve()
        .then((found) => (options.all ? done(null, found) : done(null, found[0]?.address ?? '', 4)))
    }
    const sent = request(`http://rebind.example:${port}/`, { lookup }).end()
    await once(sent, 'response')
    expect(requests).toHaveLength(1)
    const rebinding = makeResolver()
    const client = createHttpClient({ resolve: rebinding.resolve })
    onTestFinished(() => client.close())
    const signal = AbortSignal.timeout(1_500)
    const message = {
      method: 'GET',
      url: `http://rebind.example:${port}/`,
      headers: {},
      signal,
      maxBytes: 1_000,
    }
    expect((await client.send(message)).kind).not.toBe('answer')
    expect([rebinding.asked(), requests.length]).toEqual([1, 1])
    // The next request asks again, and is refused by what it is told then.
    expect(await client.send({ ...message, signal: AbortSignal.timeout(1_500) })).toMatchObject({
      kind: 'refused',
    })
    expect(requests).toHaveLength(1)
  })
})

/** A server that leads elsewhere, whatever it is asked. */
async function leading(
  where: () => string,
): Promise<{ readonly url: string; readonly requests: readonly unknown[] }> {
  return serveHttp(() => ({ status: 307, body: '', headers: { location: where() } }))
}

describe('what a caller puts into a request', () => {
  it('Q99: no argument adds a header, or leaves the place that the package names', async () => {
    const { url, requests } = await serveHttp(() => ({ body: '{}' }))
    const project = makeProject(
      endpointFiles('', {
        implementations: [
          { id: 'http', endpoint: { type: 'http', method: 'GET', url: `${url}/v1/users/{id}/public` } },
        ],
      }),
    )
    const ask = (id: string) => project.orla(['call', 'acme.ask', JSON.stringify({ id })])
    expect((await ask('7')).status).toBe(0)
    const hostile = [
      '../../admin',
      '..',
      '%2e%2e/admin',
      '7/../../../admin',
      '7?as=root#',
      '7 HTTP/1.1\r\nX-Evil: 1\r\n\r\n',
      '//evil.example',
      '7\\..\\..',
    ]
    for (const id of hostile) {
      // Put in as it is, it is another place or another request.
      const naive = `${url}/v1/users/${id}/public`
      const isOther =
        /[\r\n]/.test(naive) || new URL(naive).pathname !== `/v1/users/${encodeURIComponent(id)}/public`
      expect(isOther, id).toBe(true)
      await ask(id)
    }
    expect(requests.length).toBeGreaterThan(4)
    for (const { path, headers } of requests) {
      expect(path).toMatch(/^\/v1\/users\/[^/?#\\\s]+\/public$/)
      expect(headers).not.toHaveProperty('x-evil')
    }
  })

  it('Q100: a secret with a line break in it is no second header', async () => {
    const { url, requests } = await serveHttp(() => ({ body: '{}' }))
    const auth = { type: 'bearer', configHints: { env: ['ASK_TOKEN'] } }
    const project = makeProject(endpointFiles(`${url}/`, { auth }))
    const ask = (token: string) => project.orla(['call', 'acme.ask', '{}'], { env: { ASK_TOKEN: token } })
    expect((await ask('sesame')).status).toBe(0)
    expect(requests.at(-1)?.headers.authorization).toBe('Bearer sesame')
    const { status } = await ask('sesame\r\nX-Evil: 1')
    expect([status === 0, requests.length]).toEqual([false, 1])
  })

  it('Q100: a credential stays with the origin it is for, wherever that leads', async () => {
    const auth = { type: 'bearer', configHints: { env: ['ASK_TOKEN'] } }
    const other = await serveHttp(() => ({ body: '{"said":"other"}' }))
    const hop = await leading(() => `${other.url}/there`)
    const env = { ASK_TOKEN: 'sesame-open' }
    const near = await makeProject(endpointFiles(`${other.url}/here`, { auth })).orla(
      ['call', 'acme.ask', '{}'],
      { env },
    )
    expect([near.status, other.requests[0]?.headers.authorization]).toEqual([0, 'Bearer sesame-open'])
    const far = await makeProject(endpointFiles(`${hop.url}/`, { auth })).orla(['call', 'acme.ask', '{}'], {
      env,
    })
    expect([far.stdout, other.requests[1]?.path]).toEqual([expect.stringContaining('other'), '/there'])
    expect(JSON.stringify(other.requests[1])).not.toContain('sesame')
  })
})
