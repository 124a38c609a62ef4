import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp, connectStdio } from './clients.ts'
import { eventually, makeProject, ORLA, processesWith } from './project.ts'

const unique = () => `64.${process.pid}${Math.floor(Math.random() * 1e9)}`
const forking = (marker: string) =>
  `#!/bin/sh\nsleep ${marker} &\n(sleep ${marker} &)\nsetsid sleep ${marker} &\ntouch started\nsleep ${marker}\n`

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('on %s lets calls finish, then exits 0', async (signal) => {
    const project = makeProject({
      'tools/gate.sh': '#!/bin/sh\ntouch started\nwhile [ ! -e open ]; do sleep 0.05; done\necho through\n',
    })
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    const flying = client.call('gate')
    await eventually(() => existsSync(join(project.dir, 'started')), 'the tool runs')
    const ended = server.stop(signal)
    await server.record(({ msg }) => msg === 'stopping')
    await expect(fetch(server.url)).rejects.toThrow()
    project.write({ open: '' })
    expect((await flying).content[0]?.text).toBe('through\n')
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  it('over stdio lets a client go that asks for what cannot be loaded any more', async () => {
    const project = makeProject({ 'tools/hi.sh': '#!/bin/sh\necho hi\n' })
    const copy = join(project.dir, 'program')
    cpSync(dirname(ORLA), copy, { recursive: true })
    const chunks = join(copy, 'chunks')
    for (const name of readdirSync(chunks)) if (name.startsWith('sdk-')) rmSync(join(chunks, name))
    const stdin = '{"jsonrpc":"2.0","id":1,"method":"prompts/list"}\n'
    const { stderr } = await project.orla(['--stdio'], { stdin, program: join(copy, 'orla.cjs') })
    expect(stderr).toContain('"msg":"protocol error"')
    expect(stderr).toContain('"msg":"stopped"')
    expect(stderr).not.toContain('recovered')
  })

  it('over stdio writes the answers of calls that finish', async () => {
    const project = makeProject({
      'tools/gate.sh': '#!/bin/sh\ntouch started\nwhile [ ! -e open ]; do sleep 0.05; done\necho through\n',
    })
    const server = await project.serve(['--stdio'])
    let out = ''
    server.child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    }
    for (const message of [
      { id: 1, method: 'initialize', params: hello },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/call', params: { name: 'gate', arguments: {} } },
    ]) {
      server.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    }
    await eventually(() => existsSync(join(project.dir, 'started')), 'the tool runs')
    const ended = server.stop()
    await server.record(({ msg }) => msg === 'stopping')
    project.write({ open: '' })
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(out).toContain('through')
  })

  it('ends what does not finish within the grace, and leaves nothing', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 300ms\n', 'tools/wait.sh': forking(marker) })
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    client.call('wait').catch(() => {})
    await eventually(() => processesWith(`sleep ${marker}`).length === 4, 'everything runs')
    expect(await server.stop()).toEqual({ code: 0, signal: null })
    expect(processesWith(`sleep ${marker}`)).toEqual([])
  })

  it('does not wait after a second signal', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 60s\n', 'tools/wait.sh': forking(marker) })
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    client.call('wait').catch(() => {})
    await eventually(() => processesWith(`sleep ${marker}`).length === 4, 'everything runs')
    const ended = server.stop('SIGTERM')
    await server.record(({ msg }) => msg === 'stopping')
    server.child.kill('SIGINT')
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(processesWith(`sleep ${marker}`)).toEqual([])
  })

  it('gives tools that ignore TERM no time after a second signal', async () => {
    const marker = unique()
    const project = makeProject({
      'orla.yaml': 'shutdown_grace: 60s\n',
      'tools/deaf.sh': `#!/bin/sh\ntrap '' TERM INT\nsleep ${marker} & wait; sleep ${marker}\n`,
    })
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    client.call('deaf').catch(() => {})
    await eventually(() => processesWith(`sleep ${marker}`).length > 0, 'it runs')
    const ended = server.stop('SIGTERM')
    await server.record(({ msg }) => msg === 'stopping')
    const hurried = Date.now()
    server.child.kill('SIGTERM')
    expect(await ended).toEqual({ code: 0, signal: null })
    // A tool that is asked to end has two seconds.
    expect(Date.now() - hurried).toBeLessThan(1_900)
    expect(processesWith(`sleep ${marker}`)).toEqual([])
  })

  it('by SIGKILL leaves no tool running', async () => {
    const marker = unique()
    const project = makeProject({ 'tools/wait.sh': forking(marker) })
    const server = await project.serve()
    const client = await connectHttp('v2-legacy', server.url)
    client.call('wait').catch(() => {})
    await eventually(() => processesWith(`sleep ${marker}`).length === 4, 'everything runs')
    await server.stop('SIGKILL')
    await eventually(() => processesWith(`sleep ${marker}`).length === 0, 'nothing is left')
  })

  it('happens when the stdio client goes, with its calls', async () => {
    const marker = unique()
    const project = makeProject({ 'tools/wait.sh': forking(marker) })
    const client = await connectStdio('v1', project)
    client.call('wait').catch(() => {})
    await eventually(() => processesWith(`sleep ${marker}`).length === 4, 'everything runs')
    await client.close()
    await eventually(() => processesWith(`sleep ${marker}`).length === 0, 'nothing is left')
    await eventually(() => processesWith(project.dir).length === 0, 'the server is gone')
  })
})
