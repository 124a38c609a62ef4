import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { connectHttp, connectStdio } from './clients.ts'
import { eventually, makeProject } from './project.ts'

const say = (what: string) => `#!/bin/sh\necho ${what}\n`

describe('reload', () => {
  it('Q26, Q27, Q28: SIGHUP brings new tools; old connections keep what they had', async () => {
    const project = makeProject({
      'orla.yaml': 'watch: false\n',
      'tools/a.sh': say('a'),
      'tools/b.sh': say('b'),
    })
    const server = await project.serve()
    const old = await connectHttp('v1', server.url)
    expect((await old.list()).map(({ name }) => name)).toEqual(['a', 'b'])

    project.write({ 'tools/c.sh': say('c'), 'other/b.sh': '' })
    rmSync(join(project.dir, 'tools/a.sh'))
    server.child.kill('SIGHUP')
    await server.record(({ msg }) => msg === 'reloaded')

    // `a` is gone from disk, but it is still a tool of this connection: it fails as one that cannot start.
    expect((await old.call('a'))._meta?.['orla/reason']).toBe('spawn')
    await expect(old.call('c')).rejects.toMatchObject({ code: -32602 })
    expect((await old.call('b')).content[0]?.text).toBe('b\n')
    await eventually(() => old.changes() > 0, 'list_changed')

    const fresh = await connectHttp('v2-legacy', server.url)
    expect((await fresh.list()).map(({ name }) => name)).toEqual(['b', 'c'])
    const modern = await connectHttp('v2-modern', server.url)
    expect((await modern.call('c')).content[0]?.text).toBe('c\n')
    expect((await old.list()).map(({ name }) => name)).toEqual(['b', 'c'])
  })

  it.each(['v1', 'v2-legacy', 'v2-modern'] as const)(
    'by watching reaches %s over HTTP and stdio',
    async (kind) => {
      const project = makeProject({ 'tools/a.sh': say('a') })
      const server = await project.serve()
      const clients = [await connectHttp(kind, server.url), await connectStdio(kind, project)]
      for (const client of clients) expect(await client.list()).toHaveLength(1)
      project.write({ 'tools/new/b.sh': say('b') })
      for (const client of clients) {
        await eventually(() => client.changes() > 0, 'list_changed')
        expect((await client.list()).map(({ name }) => name)).toEqual(['a', 'b'])
      }
    },
  )

  it.each(['main.sh', 'bin/deep/main.sh'])(
    'by watching offers a package once its entrypoint %s is there, and may run',
    async (entrypoint) => {
      const manifest = `name: late\nversion: 1.0.0\ndescription: Late\nentrypoint: ${entrypoint}\n`
      const project = makeProject({ 'tools/late/tool.yaml': manifest })
      const client = await connectStdio('v1', project)
      expect(await client.list()).toEqual([])
      const file = join(project.dir, 'tools/late', entrypoint)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, 'echo late\n')
      await pause(300)
      expect(await client.list(), 'without a first line it needs the mode').toEqual([])
      chmodSync(file, 0o755)
      await eventually(async () => (await client.list()).length === 1, 'the tool')
    },
  )

  it('keeps flags, takes new settings, and loses no call in flight', async () => {
    const project = makeProject({
      'orla.yaml': 'timeout: 60\nlog_level: info\nport: 1\n',
      'tools/gate.sh': '#!/bin/sh\ntouch started\nwhile [ ! -e open ]; do sleep 0.05; done\necho through\n',
      'tools/slow.sh': '#!/bin/sh\nsleep 60\n',
    })
    const server = await project.serve(['--port', '0'])
    const client = await connectHttp('v2-modern', server.url)
    const flying = client.call('gate')
    await eventually(() => existsSync(join(project.dir, 'started')), 'the call is under way')
    project.write({ 'orla.yaml': 'timeout: 500ms\nlog_level: debug\nport: 1\n' })
    await server.record(({ msg }) => msg === 'reloaded')
    const late = await client.call('slow')
    expect(late._meta?.['orla/reason']).toBe('timeout')
    project.write({ open: '' })
    expect((await flying).content[0]?.text).toBe('through\n')
    expect(server.records.some(({ level }) => level === 'debug')).toBe(true)
    expect(server.records.filter(({ msg }) => /after a restart/.test(msg))).toEqual([])
  })

  it('keeps the old state and says why when orla.yaml is broken', async () => {
    const project = makeProject({ 'orla.yaml': 'timeout: 5\n', 'tools/a.sh': say('a') })
    const server = await project.serve()
    project.write({ 'orla.yaml': 'timeuot: 5\n' })
    const failed = await server.record(({ msg }) => /reload failed/.test(msg))
    expect(failed.error).toMatch(/orla\.yaml:1:1: unknown key `timeuot` \(did you mean `timeout`\?\)/)
    const client = await connectHttp('v1', server.url)
    expect((await client.call('a')).content[0]?.text).toBe('a\n')
    const told = await project.orla(['reload'])
    expect(told.status).toBe(1)
    expect(told.stderr).toContain('unknown key')
    project.write({ 'orla.yaml': 'timeout: 6\n' })
    await server.record(({ msg }) => msg === 'reloaded')
  })

  it('does nothing by itself with watch: false, and `orla reload` finds the server', async () => {
    const project = makeProject({ 'orla.yaml': 'watch: false\n', 'tools/a.sh': say('a') })
    const server = await project.serve()
    project.write({ 'tools/b.sh': say('b') })
    const told = await project.orla(['reload', '--json'])
    expect(told.status).toBe(0)
    expect(JSON.parse(told.stdout).servers).toMatchObject([
      { pid: server.child.pid, tools: 2, generation: 1 },
    ])
    expect((await project.orla(['reload', '--port', String(server.port)])).stdout).toMatch(
      /reloaded http.*: 2 tools, 0 problems\n$/,
    )
    rmSync(join(project.dir, 'tools/b.sh'))
    expect((await project.orla(['reload'])).stdout).toMatch(/: 1 tool, 0 problems\n$/)
    await server.stop()
    const none = await project.orla(['reload'])
    expect(none.status).toBe(4)
    expect(none.stderr).toMatch(/no server of .* is running/)
  })
})
