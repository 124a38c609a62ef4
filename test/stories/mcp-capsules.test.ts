import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp, connectStdio } from './clients.ts'
import { eventually, makeProject, processesWith } from './project.ts'

/** The protocol's own demonstration server, as its npm package brings it. */
const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)

const wrapped = (name: string) => ({
  [`tools/${name}/tool.yaml`]: `name: ${name}\nversion: 1.0.0\ndescription: An MCP server\nentrypoint: run.sh\nruntime:\n  mode: capsule\n  handshake: mcp\n  startup_timeout_ms: 20000\n`,
  [`tools/${name}/run.sh`]: `#!/bin/sh\nexec '${process.execPath}' '${EVERYTHING}' stdio\n`,
})

/** A small server of our own whose tools change while it runs. */
const CHANGING = `#!/usr/bin/env node
const { createInterface } = require('node:readline')
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const tools = [{ name: 'grow', description: 'Adds a tool', inputSchema: { type: 'object' } }]
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'changing', version: '9' } } })
  if (method === 'tools/list') return send({ id, result: { tools } })
  if (method === 'ping') return send({ id, result: {} })
  if (method !== 'tools/call') return
  if (params.name === 'grow') {
    tools.push({ name: 'more' + tools.length })
    send({ method: 'notifications/tools/list_changed' })
  }
  send({ id, result: { content: [{ type: 'text', text: params.name + ' done' }] } })
}).on('close', () => process.exit(0))
`

const changing = {
  'tools/box/tool.yaml':
    'name: box\nversion: 1.0.0\ndescription: Changes\nentrypoint: main\nruntime: {mode: capsule, handshake: mcp}\n',
  'tools/box/main': CHANGING,
}

describe('an MCP server in a capsule', () => {
  it('names after its install what its first tool must be given', async () => {
    const source = CHANGING.replace(
      "inputSchema: { type: 'object' }",
      "inputSchema: { type: 'object', required: ['by'] }",
    )
    const manifest = changing['tools/box/tool.yaml']
    const project = makeProject({ 'orla.yaml': '', 'box/tool.yaml': manifest, 'box/main': source })
    expect(await project.orla(['install', '--local', 'box', '--yes'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('offers box.grow'),
      stderr: expect.stringContaining('Try it: orla call box.grow --arg by=VALUE\n'),
    })
  })

  it('server-everything: its tools appear as NAME.TOOL, answer, and come back after a crash', async () => {
    const project = makeProject(wrapped('every'))
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    const names = async () => (await client.list()).map(({ name }) => name)
    await eventually(async () => (await names()).includes('every.echo'), 'its tools are listed', 30_000)
    const echoed = await client.call('every.echo', { message: 'hello' })
    expect(echoed.content).toEqual([{ type: 'text', text: 'Echo: hello' }])
    const wrong = await client.call('every.echo', {})
    expect(wrong.isError).toBe(true)
    const [pid] = processesWith(EVERYTHING)
    if (pid === undefined) throw new Error('it does not run')
    process.kill(pid, 'SIGKILL')
    await eventually(async () => {
      const answer = await client.call('every.echo', { message: 'again' })
      return answer.isError !== true && answer.content[0]?.text === 'Echo: again'
    }, 'it answers again')
    const old = await connectStdio('v1', project)
    expect((await old.list()).map(({ name }) => name)).toContain('every.echo')
  })

  it('list_changed passes through', async () => {
    const project = makeProject(changing)
    const first = await project.serve()
    const early = await connectHttp('v1', first.url)
    await eventually(async () => (await early.list()).some(({ name }) => name === 'box.grow'), 'listed')
    await early.close()
    await first.stop()
    // What is known from before is no change.
    const server = await project.serve()
    const client = await connectHttp('v2-legacy', server.url)
    expect((await client.list()).map(({ name }) => name)).toEqual(['box.grow'])
    const before = client.changes()
    expect((await client.call('box.grow')).content[0]?.text).toBe('grow done')
    await eventually(() => client.changes() > before, 'list_changed')
    const listed = await client.list()
    expect(listed.map(({ name }) => name)).toEqual(['box.grow', 'box.more1'])
    // It said nothing about its arguments: they are any object, not those of a program.
    expect(listed[1]?.inputSchema).toEqual({ type: 'object' })
    expect((await client.call('box.more1')).content[0]?.text).toBe('more1 done')
  })

  it('is known before it runs: recorded at the first start, at an install, or by a call', async () => {
    const project = makeProject({ 'orla.yaml': '', ...changing })
    const listed = await project.orla(['list'])
    expect(listed.stdout + listed.stderr).toContain('has not been asked for its tools yet')
    expect(await project.orla(['call', 'box.grow'])).toMatchObject({ status: 0, stdout: 'grow done\n' })
    expect((await project.orla(['list'])).stdout).toMatch(/box\.grow\s+1\.0\.0\s+capsule/)

    const other = makeProject({
      'orla.yaml': '',
      ...Object.fromEntries(
        Object.entries(changing).map(([path, content]) => [path.replace('tools/', 'source/'), content]),
      ),
    })
    const installed = await other.orla(['install', '--local', 'source/box', '--yes'])
    expect(installed).toMatchObject({ status: 0, stdout: expect.stringContaining('offers box.grow') })
    expect((await other.orla(['list'])).stdout).toMatch(/box\.grow/)
    const server = await other.serve()
    const client = await connectHttp('v1', server.url)
    expect((await client.list()).map(({ name }) => name)).toEqual(['box.grow'])
  })

  it('one that does not come up is told, and the others are served', async () => {
    const project = makeProject({
      ...changing,
      'tools/broken/tool.yaml':
        'name: broken\nversion: 1.0.0\ndescription: Broken\nentrypoint: run.sh\nruntime: {mode: capsule, handshake: mcp, restart: {base_ms: 5, limit: 2}}\n',
      'tools/broken/run.sh': '#!/bin/sh\necho missing module >&2\nexit 3\n',
    })
    const server = await project.serve()
    const told = await server.record(({ msg }) => /cannot list the tools/.test(msg))
    expect(told).toMatchObject({ capsule: 'broken', error: expect.stringMatching(/status 3/) })
    const client = await connectHttp('v1', server.url)
    await eventually(async () => (await client.list()).some(({ name }) => name === 'box.grow'), 'the other')
  })
})
