import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHttp } from './clients.ts'
import { makeProject } from './project.ts'
import { openTerminal } from './terminal.ts'

const VALUE = 'sw0rdfish & co'

describe('orla secret', () => {
  it('Q100: stores what comes on standard input, lists names and removes', async () => {
    const project = makeProject()
    const set = await project.orla(['secret', 'set', 'API_TOKEN'], { stdin: `${VALUE}\n` })
    const list = await project.orla(['secret', 'list'])
    expect([set.status, list.stdout]).toEqual([0, 'API_TOKEN\n'])
    const file = join(project.env.ORLA_HOME ?? '', 'secrets.json')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(project.env.ORLA_HOME ?? '')).not.toContain('secrets.json-lock')
    const json = await project.orla(['secret', 'list', '--json'], { env: { API_TOKEN: 'x' } })
    expect(JSON.parse(json.stdout)).toEqual({ secrets: [{ name: 'API_TOKEN', overridden: true }] })
    const removed = await project.orla(['secret', 'remove', 'API_TOKEN'])
    const again = await project.orla(['secret', 'remove', 'API_TOKEN'])
    expect([removed.status, again.status]).toEqual([0, 4])
    for (const { stdout, stderr } of [set, list, json, removed, again])
      expect(stdout + stderr).not.toContain('sw0rdfish')
    const found = spawnSync('grep', ['-rl', 'sw0rdfish', join(project.dir, '..')], { encoding: 'utf8' })
    expect(found.stdout).toBe('')
  })

  it('refuses what is no name, and a value that is not there', async () => {
    const project = makeProject()
    for (const name of ['1A', 'A B', '../A', '=']) {
      expect((await project.orla(['secret', 'set', name], { stdin: VALUE })).status).toBe(2)
    }
    expect((await project.orla(['secret', 'set', 'A'], { stdin: '\n' })).status).toBe(2)
    expect((await project.orla(['secret', 'list'])).stdout).toBe('')
  })

  it('asks on a terminal, and does not show what is typed', async () => {
    const project = makeProject()
    const terminal = openTerminal(project, ['secret', 'set', 'API_TOKEN'])
    await terminal.shows('Value of API_TOKEN:')
    terminal.type(`${VALUE}\r`)
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen()).toContain('API_TOKEN is stored')
    expect(terminal.screen()).not.toContain('sw0rdfish')
    const broken = openTerminal(project, ['secret', 'set', 'OTHER'])
    await broken.shows('Value of OTHER:')
    broken.type('abc\u0003')
    expect(await broken.ended).toBe(130)
    expect((await project.orla(['secret', 'list'])).stdout).toBe('API_TOKEN\n')
  })
})

describe('a package that needs a secret', () => {
  /** An endpoint that repeats what it was sent, and who it was sent by. */
  async function openEndpoint(): Promise<{ url: string; seen: (string | undefined)[] }> {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization)
      request.setEncoding('utf8').on('data', (body: string) => {
        const { message } = JSON.parse(body)
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ message, by: request.headers.authorization }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo // a listening TCP server has one
    return { url: `http://127.0.0.1:${port}/echo`, seen }
  }

  function packageFiles(url: string): Record<string, string> {
    const schema = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] }
    const manifest = {
      toolId: 'demo.echo',
      name: 'Echo',
      version: '0.1.0',
      description: 'Echoes back.',
      capabilities: ['echo'],
      endpoint: { type: 'http', method: 'POST', url },
      auth: { type: 'bearer', configHints: { env: ['ECHO_TOKEN'] } },
      input_schema: schema,
      output_schema: schema,
      tests: ['tests/echo.test.json'],
    }
    const test = { name: 'echo', input: { message: 'hello' }, expected: { message: 'hello', by: 'nobody' } }
    return {
      'echo/manifest.json': JSON.stringify(manifest),
      'echo/tests/echo.test.json': JSON.stringify(test),
      'echo/tests/unlisted.test.json': JSON.stringify({ ...test, name: 'unlisted' }),
    }
  }

  it('Q99, Q100, Q108: says which one is missing, finds it when it is stored, and shows it to nobody', async () => {
    const { url, seen } = await openEndpoint()
    const project = makeProject({ 'orla.yaml': '', ...packageFiles(url) })
    const missing = await project.orla(['test', './echo'])
    expect([missing.status, seen.length]).toEqual([1, 0])
    expect(missing.stdout).toContain('`ECHO_TOKEN` is not set')
    const token = 'sw0rdfish-and-more'
    await project.orla(['secret', 'set', 'ECHO_TOKEN'], { stdin: token })
    const stored = await project.orla(['test', './echo'])
    const given = await project.orla(['test', './echo', '--json'], { env: { ECHO_TOKEN: 'from-outside' } })
    expect(seen).toEqual([`Bearer ${token}`, 'Bearer from-outside'])
    // The test fails on purpose: what it shows of the answer has the token in it.
    expect([stored.status, stored.stdout]).toEqual([1, expect.stringContaining('[secret]')])
    expect(JSON.parse(given.stdout).tests).toHaveLength(1)
    for (const { stdout, stderr } of [missing, stored, given]) {
      expect(stdout + stderr).not.toContain(token)
      expect(stdout + stderr).not.toContain('from-outside')
    }
  })

  it('Q100: a running server finds it with the next call, and its log does not show it', async () => {
    const { url, seen } = await openEndpoint()
    const files = Object.entries(packageFiles(url)).map(([path, text]) => [`tools/${path}`, text])
    const project = makeProject({ 'orla.yaml': '', ...Object.fromEntries(files) })
    const server = await project.serve(['--port', '0', '--log-level', 'debug'])
    const client = await connectHttp('v2-modern', server.url)
    const missing = await client.call('demo.echo', { message: 'one' })
    expect([JSON.stringify(missing), seen.length]).toEqual([expect.stringContaining('ECHO_TOKEN'), 0])
    await project.orla(['secret', 'set', 'ECHO_TOKEN'], { stdin: 'sw0rdfish-and-more' })
    const answer = await client.call('demo.echo', { message: 'two' })
    expect(seen).toEqual(['Bearer sw0rdfish-and-more'])
    expect(JSON.stringify(answer)).toContain('[secret]')
    await server.record(({ msg, success }) => msg === 'call' && success === true)
    expect(JSON.stringify([answer, server.records])).not.toContain('sw0rdfish')
  })
})
