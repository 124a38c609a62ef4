import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHttp } from './clients.ts'
import { eventually, makeProject, NODE, ORLA } from './project.ts'

const say = (what: string) => `#!/bin/sh\necho ${what}\n`

describe('files that are not what they seem', () => {
  it('a pipe or a device as a manifest hangs nothing and is a problem', async () => {
    const project = makeProject({ 'tools/a.sh': say('a') })
    const server = await project.serve()
    for (const name of ['pipe', 'endless']) mkdirSync(join(project.dir, 'tools', name))
    execFileSync('mkfifo', [join(project.dir, 'tools/pipe/tool.yaml')])
    symlinkSync('/dev/zero', join(project.dir, 'tools/endless/tool.yaml'))
    await server.record(({ msg, file }) => /cannot be read/.test(msg) && String(file).endsWith('pipe'))
    const client = await connectHttp('v2-modern', server.url)
    expect((await client.call('a')).content[0]?.text).toBe('a\n')
    const listed = await project.orla(['list'])
    expect(listed).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('is not a file that can be read'),
    })
  })

  it('a pipe as orla.yaml is an error, not a wait', async () => {
    const project = makeProject()
    execFileSync('mkfifo', [join(project.dir, 'orla.yaml')])
    expect(await project.orla(['list'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not a file that can be read'),
    })
  })

  it('Q3: text without a #! line is a problem, not a shell script by accident', async () => {
    const project = makeProject({ 'tools/p.py': say('x'), 'tools/empty.sh': say('x') })
    project.write({ 'tools/p.py': 'import os\nprint(os.getcwd())\n', 'tools/empty.sh': '' })
    const listed = await project.orla(['list', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject({
      tools: [],
      problems: [{ message: 'is empty' }, { message: 'is no binary and has no #! line' }],
    })
    project.write({ 'tools/p.py': '#!/usr/bin/env python3\nprint(1)\n' })
    expect(await project.orla(['call', 'p'])).toMatchObject({ status: 0, stdout: '1\n' })
  })
})

describe('readers that do not read', () => {
  it('of the log do not keep a server that was told to stop', async () => {
    const project = makeProject({ 'tools/a.sh': say('a') })
    const child = spawn(NODE, [ORLA, '--port', '0', '--log-level', 'debug'], {
      cwd: project.dir,
      env: project.env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const url = await new Promise<string>((resolve) => {
      let text = ''
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const found = /"url":"([^"]+)"/.exec(text)?.[1]
        if (found) resolve(found)
      })
    })
    child.stderr.pause()
    const client = await connectHttp('v2-modern', url)
    for (let round = 0; round < 25; round++)
      await Promise.all(Array.from({ length: 16 }, () => client.call('a')))
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const late = pause(8_000).then(() => 'late')
    expect(await Promise.race([ended, late])).toEqual([0, null])
  })
})

describe('stopping', () => {
  it('answers the calls it ends', async () => {
    const project = makeProject({
      'orla.yaml': 'shutdown_grace: 200ms\n',
      'tools/long.sh': '#!/bin/sh\ntouch running\nexec sleep 300\n',
    })
    const server = await project.serve()
    const clients = [await connectHttp('v1', server.url), await connectHttp('v2-modern', server.url)]
    const calls = clients.map((client) => client.call('long'))
    await eventually(async () => (await project.orla(['list'])).status === 0, 'a moment')
    server.child.kill('SIGTERM')
    for (const answer of await Promise.all(calls)) expect(answer._meta?.['orla/reason']).toBe('cancelled')
  })
})

describe('the configuration of a running server', () => {
  it('Q27: is noticed when it is written, deleted and written again', async () => {
    const project = makeProject({ 'tools/a.sh': say('a') })
    const server = await project.serve()
    const reloads = () =>
      server.records.filter(({ msg, changed }) => msg === 'reloaded' && changed === true).length
    project.write({ 'orla.yaml': 'timeout: 5\n' })
    await eventually(() => reloads() === 1, 'the first orla.yaml')
    expect(await project.orla(['reload'])).toMatchObject({ status: 0 })
    rmSync(join(project.dir, 'orla.yaml'))
    await eventually(() => reloads() >= 2, 'its end')
    await pause(300)
    const before = reloads()
    project.write({ 'orla.yaml': 'timeout: 6\n' })
    await eventually(() => reloads() > before, 'the second one')
  })

  it('says which settings need a restart, by their keys', async () => {
    const project = makeProject({ 'orla.yaml': 'port: 0\n' })
    const server = await project.serve()
    project.write({ 'orla.yaml': 'port: 1\nname_style: safe\nlimits: {body: 1000}\n' })
    const warned = await server.record(({ msg }) => /after a restart/.test(msg))
    expect(warned.settings).toEqual(['name_style', 'limits.body'])
  })

  it('SIGHUP is survived from the first moment, and without the folder of the log', async () => {
    const project = makeProject({ 'orla.yaml': 'log_file: logs/orla.log\n', 'tools/a.sh': say('a') })
    mkdirSync(join(project.dir, 'logs'))
    const child = spawn(NODE, [ORLA, '--port', '0'], { cwd: project.dir, env: project.env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const listed = () => project.orla(['reload', '--json'])
    await eventually(async () => (await listed()).status === 0, 'a server that reloads')
    rmSync(join(project.dir, 'logs'), { recursive: true })
    expect(await listed()).toMatchObject({ status: 0 })
    expect(child.exitCode).toBe(null)
  })
})

describe('doctor', () => {
  it.each([
    ['host: 0.0.0.0\n', /others run tools/],
    ['log_file: /nonexistent/x.log\n', /cannot be written/],
    ['host: 203.0.113.7\nport: 0\nauth: {token: abcdefghijklmnop}\n', /cannot be used/],
  ])('says that it cannot serve with %j', async (yaml, message) => {
    const project = makeProject({ 'orla.yaml': yaml, 'tools/a.sh': say('a') })
    const { status, stdout } = await project.orla(['doctor'])
    expect([status, stdout]).toEqual([1, expect.stringMatching(message)])
  })

  it('says that the port belongs to another project', async () => {
    const first = makeProject({ 'tools/a.sh': say('a') })
    const server = await first.serve()
    const second = makeProject({ 'orla.yaml': `port: ${server.port}\n`, 'tools/a.sh': say('a') })
    const { status, stdout } = await second.orla(['doctor'], {
      env: { ORLA_HOME: first.env.ORLA_HOME ?? '' },
    })
    expect([status, stdout]).toEqual([1, expect.stringMatching(/another project/)])
  })
})

it('Q15: a call of an unknown tool is in the log, and its name is not repeated without end', async () => {
  const project = makeProject({ 'tools/a.sh': say('a') })
  const server = await project.serve()
  const client = await connectHttp('v1', server.url)
  await expect(client.call('nope')).rejects.toThrow('there is no tool called `nope`')
  await server.record(({ msg, tool, reason }) => msg === 'call' && tool === 'nope' && reason === 'not_found')
  const long = client.call('x'.repeat(100_000))
  await expect(long).rejects.toMatchObject({ message: expect.stringMatching(/^.{1,1000}$/s) })
})
