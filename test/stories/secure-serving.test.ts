import { chmodSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../certificate-kit.ts'
import { AUDIENCE, startIssuer } from '../issuer-kit.ts'
import { chainFiles } from './chain-kit.ts'
import { eventually, makeProject, type Project } from './project.ts'

type HttpOptions = NonNullable<ConstructorParameters<typeof ModernHttp>[1]> &
  NonNullable<ConstructorParameters<typeof OldHttp>[1]>

interface Client {
  list(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>): Promise<unknown>
}

const KINDS = ['v1', 'v2-legacy', 'v2-modern'] as const
const INFO = { name: 'story', version: '1.0.0' }

/** An official client. */
async function connect(
  kind: (typeof KINDS)[number],
  url: string,
  options: HttpOptions = {},
): Promise<Client> {
  if (kind === 'v1') {
    const client = new OldClient(INFO)
    // Its own types disagree with each other under exactOptionalPropertyTypes.
    const transport = new OldHttp(new URL(url), options) as Parameters<OldClient['connect']>[0]
    await client.connect(transport)
    onTestFinished(() => client.close())
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args = {}) => client.callTool({ name, arguments: args }),
    }
  }
  const mode = kind === 'v2-legacy' ? 'legacy' : { pin: '2026-07-28' }
  const client = new ModernClient(INFO, { versionNegotiation: { mode } })
  await client.connect(new ModernHttp(new URL(url), options))
  onTestFinished(() => client.close())
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
  }
}

const bearer = (token: string): HttpOptions => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
})

const TOOLS = {
  'tools/fs.read.sh': '#!/bin/sh\necho read\n',
  'tools/fs.write.sh': '#!/bin/sh\necho written\n',
  'tools/env': '#!/bin/sh\nenv\n',
}

const auditOf = (project: Project, file = 'audit.log') =>
  readFileSync(join(project.dir, file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('TLS', () => {
  /** With the certificate's own issuer, which is itself. */
  function get(url: string, ca: string): Promise<{ status: number; serial: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { ca, agent: false, method: 'OPTIONS' }, (response) => {
        const { serialNumber } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate()
        response.resume()
        response.on('end', () => resolve({ status: response.statusCode ?? 0, serial: serialNumber }))
      })
      sent.on('error', reject)
      sent.end()
    })
  }

  it('serves official clients, and takes a new certificate without letting go of anyone', async () => {
    const first = makeCertificate(['127.0.0.1'], { serial: 1 })
    const project = makeProject({
      ...TOOLS,
      'tools/slow': '#!/bin/sh\nwhile [ ! -e done ]; do sleep 0.05; done\necho slept\n',
      'orla.yaml': 'tls: {cert: tls/cert.pem, key: tls/key.pem}\n',
      'tls/cert.pem': first.cert,
      'tls/key.pem': first.key,
    })
    chmodSync(join(project.dir, 'tls/key.pem'), 0o600)
    const server = await project.serve()
    expect(server.url).toBe(`https://127.0.0.1:${server.port}/mcp`)
    expect(await get(server.url, first.cert)).toEqual({ status: 204, serial: '01' })

    // The clients have no setting for a certificate of one's own.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    onTestFinished(() => void delete process.env.NODE_TLS_REJECT_UNAUTHORIZED)
    const client = await connect('v1', server.url)
    const running = client.call('slow')
    const next = makeCertificate(['127.0.0.1'], { serial: 2 })
    project.write({ 'tls/cert.pem': next.cert, 'tls/key.pem': next.key })
    const reloaded = await project.orla(['reload'])
    expect(reloaded.stdout).toContain(`reloaded ${server.url}`)
    expect(await get(server.url, next.cert)).toEqual({ status: 204, serial: '02' })
    project.write({ done: '' })
    expect(JSON.stringify(await running)).toContain('slept')
    for (const kind of KINDS) expect(await (await connect(kind, server.url)).list()).toContain('fs.read')

    // A pair that does not belong together changes nothing.
    project.write({ 'tls/key.pem': first.key })
    const failed = await project.orla(['reload'])
    expect(failed.status).toBe(1)
    expect(failed.stderr).toContain('the key belongs to another certificate')
    expect(await get(server.url, next.cert)).toEqual({ status: 204, serial: '02' })
  })

  it('says what is wrong with its files, and warns of a key that others may read', async () => {
    const { cert, key } = makeCertificate()
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'tls: {cert: cert.pem}\n', 'cert.pem': cert })
    const words = async (yaml: string) => {
      project.write({ 'orla.yaml': yaml })
      const { status, stderr } = await project.orla(['serve', '--port', '0'])
      expect(status).not.toBe(0)
      return stderr
    }
    expect(await words('tls: {cert: cert.pem}\n')).toContain('tls.cert needs tls.key')
    expect(await words('tls: {cert: cert.pem, key: none.pem}\n')).toMatch(/none\.pem: there is no such file/)
    expect(await words('tls: {cert: cert.pem, key: orla.yaml}\n')).toContain('cannot be used')
    project.write({ 'key.pem': key, 'orla.yaml': 'tls: {cert: cert.pem, key: key.pem}\n' })
    chmodSync(join(project.dir, 'key.pem'), 0o644)
    const { status, stdout } = await project.orla(['doctor', '--port', '0'])
    expect([status, /others may read the private key .*key\.pem/.test(stdout)]).toEqual([0, true])
    const server = await project.serve()
    await server.record(({ msg }) => msg.startsWith('others may read the private key'))
  })
})

describe('OAuth', () => {
  it.each(KINDS)('the client %s finds the issuer, gets a token and calls', async (kind) => {
    const issuer = await startIssuer()
    issuer.scope = 'files'
    const project = makeProject({
      ...TOOLS,
      'orla.yaml': `auth: {issuer: "${issuer.url}", audience: ${AUDIENCE}, scopes: {files: ["fs.*"], all: ["*"]}}\naudit: audit.log\n`,
    })
    const { url } = await project.serve()
    const kept: Record<string, unknown> = {}
    let sentTo: URL | undefined
    const authProvider = {
      redirectUrl: 'http://127.0.0.1:1/callback',
      clientMetadata: { redirect_uris: ['http://127.0.0.1:1/callback'], client_name: 'story' },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (to: URL) => {
        sentTo = to
      },
      saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
      codeVerifier: () => String(kept.verifier),
    } as unknown as NonNullable<HttpOptions['authProvider']> // both clients' interfaces, which differ in details only

    await expect(connect(kind, url, { authProvider })).rejects.toThrow()
    expect(sentTo?.href).toContain(`${issuer.url}/authorize`)
    expect(sentTo?.searchParams.get('resource')).toBe(url)
    const answer = await fetch(sentTo?.href ?? '', { redirect: 'manual' })
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
    const Http = kind === 'v1' ? OldHttp : ModernHttp
    await new Http(new URL(url), { authProvider }).finishAuth(code)

    const client = await connect(kind, url, { authProvider })
    expect(await client.list()).toEqual(['fs.read', 'fs.write'])
    expect(JSON.stringify(await client.call('fs.read'))).toContain('read')
    expect(auditOf(project).at(-1)).toMatchObject({ tool: 'fs.read', outcome: 'ok', principal: 'oauth:ada' })
  })

  it('is configured as a whole or not at all', async () => {
    const project = makeProject(TOOLS)
    const words = async (yaml: string) => {
      project.write({ 'orla.yaml': yaml })
      const { status, stderr } = await project.orla(['serve', '--port', '0'])
      return `${status} ${stderr}`
    }
    expect(await words('auth: {issuer: "https://login.example.com"}\n')).toMatch(
      /^2 .*auth\.issuer needs auth\.audience/,
    )
    expect(await words('auth: {issuer: "http://login.example.com", audience: x}\n')).toMatch(
      /^2 .*use https/s,
    )
    expect(await words('auth: {audience: x}\n')).toMatch(/^2 .*without auth\.issuer/)
    expect(await words('auth: {scopes: {"a b": ["*"]}}\n')).toMatch(/^2 .*cannot be the name of a scope/)
  })
})

describe('tokens for single clients', () => {
  const yaml = `auth:
  tokens:
    - {name: ci, env: CI_TOKEN, tools: ["fs.*"]}
    - {name: ops, token_file: secret/ops}
audit: audit.log
`
  const env = { CI_TOKEN: 'token-of-the-ci-0123456789' }

  it.each(KINDS)('open what they are for: %s', async (kind) => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': yaml, 'secret/ops': 'token-of-ops-0123456789\n' })
    chmodSync(join(project.dir, 'secret/ops'), 0o600)
    const server = await project.serve(undefined, { env })
    const ci = await connect(kind, server.url, bearer(env.CI_TOKEN))
    expect(await ci.list()).toEqual(['fs.read', 'fs.write'])
    await expect(ci.call('env')).rejects.toThrow(/`env`|Insufficient scope/)
    const ops = await connect(kind, server.url, bearer('token-of-ops-0123456789'))
    expect(await ops.list()).toEqual(['env', 'fs.read', 'fs.write'])
    // The variable that lets clients in is no business of tools, nor of the log.
    expect(JSON.stringify(await ops.call('env'))).not.toContain(env.CI_TOKEN)
    await expect(connect(kind, server.url, bearer('token-of-nobody'))).rejects.toThrow()
    await server.stop()
    expect(JSON.stringify(server.records)).not.toContain(env.CI_TOKEN)
    expect(auditOf(project)).toMatchObject([
      { tool: 'env', outcome: 'denied', reason: 'scope', principal: 'token:ci', remote: '127.0.0.1' },
      { tool: 'env', outcome: 'ok', principal: 'token:ops', transport: 'http' },
    ])
  })

  it('are taken back by a reload', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': yaml, 'secret/ops': 'token-of-ops-0123456789\n' })
    const { url } = await project.serve(undefined, { env })
    const ops = await connect('v2-modern', url, bearer('token-of-ops-0123456789'))
    expect(await ops.list()).toHaveLength(3)
    project.write({ 'secret/ops': 'another-token-0123456789\n' })
    expect((await project.orla(['reload'], { env })).status).toBe(0)
    await expect(ops.list()).rejects.toThrow()
    expect(await (await connect('v2-modern', url, bearer('another-token-0123456789'))).list()).toHaveLength(3)
  })

  it('cannot all be taken away from a server that others reach', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'host: 0.0.0.0\nauth: {token: secret-token}\n' })
    const server = await project.serve()
    project.write({ 'orla.yaml': 'host: 0.0.0.0\n' })
    const reloaded = await project.orla(['reload'])
    expect([reloaded.status, reloaded.stderr]).toEqual([
      1,
      expect.stringContaining('would let others run tools'),
    ])
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(401)
  })

  it('without their variable the server does not start, and doctor says so', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': yaml, 'secret/ops': 'x\n' })
    const started = await project.orla(['serve', '--port', '0'])
    expect([started.status, started.stderr]).toEqual([2, expect.stringContaining('the variable CI_TOKEN')])
    const doctor = await project.orla(['doctor'])
    expect([doctor.status, doctor.stdout]).toEqual([1, expect.stringContaining('the variable CI_TOKEN')])
    expect((await project.orla(['config'])).stdout).toMatch(/auth\.tokens +\(set\)/)
  })
})

describe('limits of each client', () => {
  it('hold one back and leave the others alone', async () => {
    const project = makeProject({
      ...TOOLS,
      'tools/wait': '#!/bin/sh\nwhile [ ! -e done ]; do sleep 0.05; done\n',
      'orla.yaml': `limits: {clients: {concurrency: 1}}
auth: {tokens: [{name: a, token: token-a}, {name: b, token: token-b}]}
`,
    })
    const { url } = await project.serve()
    const [a, b] = await Promise.all(
      ['token-a', 'token-b'].map((token) => connect('v2-modern', url, bearer(token))),
    )
    const first = a?.call('wait')
    await eventually(async () => {
      const error = await a?.call('fs.read').then(
        () => undefined,
        (reason: Error) => reason,
      )
      return error !== undefined && /429|Too many calls/.test(error.message)
    }, 'a second call is refused')
    expect(JSON.stringify(await b?.call('fs.read'))).toContain('read')
    project.write({ done: '' })
    await first
    expect(JSON.stringify(await a?.call('fs.read'))).toContain('read')
  })
})

describe('the audit file', () => {
  it('has a line for every call, whoever made it and however it ended, and `orla audit` reads it', async () => {
    const project = makeProject({
      ...TOOLS,
      'tools/fail': '#!/bin/sh\nexit 3\n',
      'orla.yaml': 'audit: audit.log\n',
    })
    const server = await project.serve()
    const client = await connect('v2-modern', server.url)
    await client.call('fs.read', { path: 'a', mode: 'b' })
    await client.call('fs.read', { mode: 'b', path: 'a' })
    await client.call('fail')
    await client.call('nowhere').catch(() => {})
    await project.orla(['call', 'fs.write', '{"path":"secret"}'])
    expect(statSync(join(project.dir, 'audit.log')).mode & 0o777).toBe(0o600)
    const records = auditOf(project)
    expect(records.map(({ tool, outcome, reason, transport }) => [tool, outcome, reason, transport])).toEqual(
      [
        ['fs.read', 'ok', null, 'http'],
        ['fs.read', 'ok', null, 'http'],
        ['fail', 'failed', 'exit', 'http'],
        ['nowhere', 'failed', 'not_found', 'http'],
        ['fs.write', 'ok', null, 'cli'],
      ],
    )
    expect(records[0]).toMatchObject({
      version: '0.0.0',
      digest: expect.any(String),
      grant: null,
      remote: '127.0.0.1',
    })
    // The same arguments are told by the same hash, and no more than that.
    expect(records[0].arguments_hmac).toBe(records[1].arguments_hmac)
    expect(records[0].arguments_hmac).toMatch(/^[0-9a-f]{64}$/)
    expect(records[2].arguments_hmac).not.toBe(records[0].arguments_hmac)
    expect(readFileSync(join(project.dir, 'audit.log'), 'utf8')).not.toContain('secret')

    const shown = await project.orla(['audit', '--tool', 'fs.*', '--since', '1h'])
    expect(shown.stdout.trimEnd().split('\n')).toHaveLength(4)
    const { records: read, broken } = JSON.parse(
      (await project.orla(['audit', '--json', '--limit', '2'])).stdout,
    )
    expect([read.length, read[1].tool, broken]).toEqual([2, 'fs.write', 0])
    expect((await project.orla(['audit', '--since', 'noon'])).status).toBe(2)
  })

  it('names the steps of a chain, whoever calls it', async () => {
    const project = makeProject({
      ...TOOLS,
      'tools/fail': '#!/bin/sh\nexit 3\n',
      ...chainFiles('acme.flow.two', [
        { step: 'read', tool: 'fs.read', inputMapping: { path: '$.input.path' } },
        { step: 'fail', tool: 'fail', optional: true },
      ]),
      'orla.yaml': 'audit: {file: audit.log, required: true}\n',
    })
    const client = await connect('v2-modern', (await project.serve()).url)
    await client.call('acme.flow.two', { path: 'a' })
    await project.orla(['call', 'acme.flow.two', '{"path":"a"}'])
    const ended = auditOf(project).filter(({ event }) => event === 'call')
    const once = [
      ['fs.read', 'acme.flow.two', 'ok'],
      ['fail', 'acme.flow.two', 'failed'],
      ['acme.flow.two', undefined, 'ok'],
    ]
    expect(ended.map(({ tool, chain, outcome }) => [tool, chain, outcome])).toEqual([...once, ...once])
    expect(auditOf(project).filter(({ event }) => event === 'asked')).toHaveLength(ended.length)
    const shown = await project.orla(['audit', '--tool', 'fs.read'])
    expect(shown.stdout).toContain('fs.read, for acme.flow.two')
  })

  it('continues under its name after a rotation', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'audit: {file: audit.log, arguments: full}\n' })
    const server = await project.serve()
    const client = await connect('v1', server.url)
    await client.call('fs.read', { path: 'one' })
    renameSync(join(project.dir, 'audit.log'), join(project.dir, 'audit.1'))
    server.child.kill('SIGHUP')
    await eventually(() => existsSync(join(project.dir, 'audit.log')), 'the file is made again')
    await client.call('fs.read', { path: 'two' })
    expect(auditOf(project, 'audit.1')).toMatchObject([{ arguments: { path: 'one' } }])
    expect(auditOf(project)).toMatchObject([{ arguments: { path: 'two' } }])
  })

  it('that cannot be opened keeps the server from starting', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'audit: nowhere/audit.log\n' })
    const { status, stderr } = await project.orla(['serve', '--port', '0'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('nowhere/audit.log')])
  })

  it.runIf(existsSync('/dev/full'))(
    'that cannot be written stops calls where it is required, and is said loudly elsewhere',
    async () => {
      for (const required of [true, false]) {
        const project = makeProject({
          ...TOOLS,
          'orla.yaml': `audit: {file: /dev/full, required: ${required}}\n`,
        })
        const server = await project.serve()
        const client = await connect('v1', server.url)
        const called = client.call('fs.read')
        if (required) await expect(called).rejects.toThrow(/cannot be recorded/)
        else expect(JSON.stringify(await called)).toContain('read')
        await server.record(({ msg, level }) => level === 'error' && msg.startsWith('calls are not recorded'))
        expect(server.records.filter(({ msg }) => msg === 'call')).toHaveLength(required ? 0 : 1)
      }
    },
  )
})
