import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { writeFiles } from './files.ts'
import { localPackage } from './mcpkg-kit.ts'
import { eventually, makeProject, type Project } from './project.ts'
import { canMount, fillDisk, mountSmallDisk } from './small-disk.ts'

const TOOLS = {
  'orla.yaml': '',
  'tools/good.sh': '#!/bin/sh\necho fine\n',
  'tools/bad.sh': '#!/bin/sh\nexit 3\n',
}

interface Shown {
  readonly tool: string
  readonly count: number
  readonly errors: Readonly<Record<string, number>>
  readonly success_rate: number | null
  readonly p50_ms: number | null
  readonly tests: { readonly passed: number; readonly failed: number } | null
}

async function stats(project: Project, ...args: string[]): Promise<readonly Shown[]> {
  const { stdout } = await project.orla(['stats', '--json', ...args])
  return (JSON.parse(stdout) as { tools: Shown[] }).tools
}

function storeOf(project: Project): string {
  return join(project.env.ORLA_HOME ?? '', 'statistics')
}

describe('orla stats', () => {
  it('Q94: shows every tool that was called, and everything about one', async () => {
    const project = makeProject(TOOLS)
    const empty = await project.orla(['stats'])
    expect([empty.status, empty.stdout]).toEqual([0, ''])
    expect(empty.stderr).toContain('`orla call NAME`')

    await project.orla(['call', 'good'])
    await project.orla(['call', 'good'])
    await project.orla(['call', 'bad'])
    const all = await project.orla(['stats'])
    expect(all.stdout).toMatch(/^TOOL +CALLS +SUCCESS +TESTS +LAST USED +P50 +P95 +P99 +VERSION\n/)
    expect(all.stdout).toMatch(/^good +2 +100% +- +just now +[\d.]+ (ms|s) .* -$/m)
    expect(all.stdout).toMatch(/^bad +1 +0% +- +just now +- +- +- +-$/m)

    expect(await stats(project)).toMatchObject([
      { tool: 'bad', count: 1, errors: { exit: 1 }, success_rate: 0, p50_ms: null },
      { tool: 'good', count: 2, errors: {}, success_rate: 1, p50_ms: expect.any(Number) },
    ])
    const one = await project.orla(['stats', 'good'], { env: { LC_ALL: 'C.UTF-8' } })
    expect(one.stdout).toMatch(/^ *< [\d.]+ m?s +\d +█+$/m)
    const plain = await project.orla(['stats', 'good'], { env: { LC_ALL: 'C' } })
    expect(plain.stdout).toMatch(/^ *< [\d.]+ m?s +\d +#+$/m)
    expect((await project.orla(['stats', 'bad'])).stdout).toMatch(/^errors +1 exit$/m)
    expect(await project.orla(['stats', 'goood'])).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('did you mean `good`?'),
    })
  })

  it('Q94: tells only what is since a time, and forgets what it is told to forget', async () => {
    const project = makeProject(TOOLS)
    await project.orla(['call', 'good'])
    await project.orla(['call', 'bad'])
    expect(await stats(project, '--since', '24h')).toHaveLength(2)
    expect(await project.orla(['stats', '--since', '2999-01-01'])).toMatchObject({ status: 2 })
    expect(await project.orla(['stats', '--since', 'soon'])).toMatchObject({ status: 2 })
    expect(await project.orla(['stats', 'clear', 'bad'])).toMatchObject({ status: 0 })
    expect(await stats(project)).toMatchObject([{ tool: 'good', count: 1 }])
    expect(await project.orla(['stats', 'clear'])).toMatchObject({ status: 0 })
    expect(await stats(project)).toEqual([])
    await project.orla(['call', 'good'])
    expect(await stats(project)).toMatchObject([{ tool: 'good', count: 1 }])
  })

  it("Q94: a caller's mistakes do not speak against a tool, and unknown names are not kept", async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/picky.sh': '#!/bin/sh\n# Picky.\n# @param name {string} who\necho "$@"\n',
    })
    expect((await project.orla(['call', 'picky', '{}'])).status).toBe(2)
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    await client.call('nobody').catch(() => {})
    await client.call('picky', { name: 'Ada' })
    await server.stop()
    expect(await stats(project)).toMatchObject([
      { tool: 'picky', count: 2, errors: { input: 1 }, success_rate: 1 },
    ])
  })

  it('Q94: off keeps nothing', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'statistics: off\n' })
    await project.orla(['call', 'good'])
    expect(existsSync(storeOf(project))).toBe(false)
    expect((await project.orla(['stats'])).stderr).toContain('`statistics` is off')
  })
})

describe('the store of statistics', () => {
  it('Q94: servers and commands that write at once lose nothing', async () => {
    const project = makeProject(TOOLS)
    const servers = await Promise.all([project.serve(), project.serve()])
    const clients = await Promise.all(servers.map(({ url }) => connectHttp('v2-modern', url)))
    const calls = clients.flatMap((client) => Array.from({ length: 40 }, () => client.call('good')))
    const commands = Array.from({ length: 6 }, () => project.orla(['call', 'good']))
    const readers = Array.from({ length: 2 }, () => project.orla(['stats']))
    await Promise.all([...calls, ...commands, ...readers])
    await Promise.all(servers.map((server) => server.stop()))
    expect(await stats(project)).toMatchObject([{ tool: 'good', count: 86 }])
  })

  it('Q94: many commands leave few files, and every call counts', async () => {
    const project = makeProject(TOOLS)
    await project.orla(['call', 'good'])
    const [first = ''] = readdirSync(storeOf(project))
    for (let i = 0; i < 40; i++)
      copyFileSync(join(storeOf(project), first), join(storeOf(project), first.replace(/^\d+/, `9999${i}`)))
    expect(await project.orla(['call', 'good'])).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(storeOf(project))).toHaveLength(2)
    expect(await stats(project)).toMatchObject([{ tool: 'good', count: 42 }])
  })

  it('Q94: a server that is killed loses at most the last second', async () => {
    const project = makeProject(TOOLS)
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    for (let i = 0; i < 5; i++) await client.call('good')
    await eventually(async () => (await stats(project))[0]?.count === 5, 'all calls are written')
    client.call('good').catch(() => {})
    await server.stop('SIGKILL')
    const [shown] = await stats(project)
    expect([5, 6]).toContain(shown?.count)
    // A record that was cut off in the middle says nothing, and nobody stumbles over it.
    const [name = ''] = readdirSync(storeOf(project))
    const file = join(storeOf(project), name)
    truncateSync(file, statSync(file).size - 5)
    expect(await project.orla(['stats'])).toMatchObject({ status: 0 })
    expect(await project.orla(['call', 'good'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('Q94: damaged files cost nobody a call', async () => {
    const project = makeProject(TOOLS)
    await project.orla(['call', 'good'])
    await project.orla(['stats', 'clear'])
    await project.orla(['call', 'good'])
    for (const name of readdirSync(storeOf(project)))
      writeFileSync(join(storeOf(project), name), '\nnonsense')
    expect(await project.orla(['call', 'good'])).toMatchObject({ status: 0, stdout: 'fine\n', stderr: '' })
    const shown = await project.orla(['stats'])
    expect(shown.stdout).toMatch(/^good +1 /m)
    expect(shown.stderr).toContain('damaged')
    expect(await project.orla(['stats', 'clear'])).toMatchObject({ status: 0 })
    expect(readdirSync(storeOf(project)).some((name) => name.startsWith('snapshot.damaged-'))).toBe(true)
  })

  it.skipIf(!canMount())('Q94: on a full disk calls go on, with one warning', async () => {
    const project = makeProject(TOOLS)
    await project.orla(['call', 'good'])
    const folder = storeOf(project)
    mountSmallDisk(folder)
    chmodSync(folder, 0o700)
    fillDisk(folder)
    const call = await project.orla(['call', 'good'])
    expect(call).toMatchObject({ status: 0, stdout: 'fine\n' })
    expect(call.stderr).toMatch(/^warning: statistics are not kept: .*the disk is full\n$/)
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    await client.call('good')
    await server.record(({ msg }) => msg.startsWith('statistics are not kept'))
    await client.call('good')
    await server.stop()
    expect(server.records.filter(({ msg }) => msg.startsWith('statistics'))).toHaveLength(1)
  })
})

describe('metadata.json', () => {
  it('Q111, Q124: stands beside the manifest of an installed package and is no part of it', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const source = localPackage('demo.say', '1.0.0', { tests: ['tests/a.test.json'] })
    const test = { name: 'says it', input: { a: 1 }, assertions: [{ path: '$.said', exists: true }] }
    writeFiles(source, { 'tests/a.test.json': JSON.stringify(test) })
    expect(await project.orla(['install', '--local', source, '--yes'])).toMatchObject({ status: 0 })
    // The tests that let it in are the first that is known of it.
    expect(await stats(project)).toMatchObject([
      { tool: 'demo.say', count: 0, tests: { passed: 1, failed: 0 } },
    ])
    await project.orla(['call', 'demo.say', '{"a":1}'])
    await project.orla(['test', 'demo.say'])
    const file = join(project.dir, '.mcp/tools/demo.say/metadata.json')
    const metadata = () => JSON.parse(readFileSync(file, 'utf8')) as Shown & { tools: Shown[] }
    expect(metadata()).toMatchObject({
      v: 1,
      name: 'demo.say',
      version: '1.0.0',
      count: 1,
      errors: {},
      success_rate: 1,
      p50_ms: expect.any(Number),
      tests: { passed: 1, failed: 0 },
    })
    expect(metadata().tools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tool: 'demo.say', implementation: 'node', count: 1 }),
      ]),
    )
    expect((await project.orla(['stats', 'demo.say'])).stdout).toMatch(/^1\.0\.0 +node +1 +100%/m)
    // It still serves: its content is what was installed.
    expect(await project.orla(['call', 'demo.say'])).toMatchObject({ status: 0 })
    expect((await project.orla(['list'])).stderr).toBe('')
    await project.orla(['stats'])
    expect(metadata().count).toBe(2)
    await project.orla(['stats', 'clear'])
    expect(existsSync(file)).toBe(false)
  })

  it('Q124: also for tool.yaml, and not where somebody placed a folder', async () => {
    const manifest = 'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: main\n'
    const project = makeProject({
      'orla.yaml': '',
      'source/tool.yaml': manifest,
      'source/main': '#!/bin/sh\necho hi\n',
      'tools/mine/tool.yaml': manifest.replace('fs', 'mine'),
      'tools/mine/main': '#!/bin/sh\necho mine\n',
    })
    expect(await project.orla(['install', '--local', './source', '--yes'])).toMatchObject({ status: 0 })
    expect(await project.orla(['call', 'fs'])).toMatchObject({ status: 0 })
    expect(await project.orla(['call', 'mine'])).toMatchObject({ status: 0 })
    expect(await stats(project)).toMatchObject([{ tool: 'fs' }, { tool: 'mine' }])
    expect(existsSync(join(project.dir, 'tools/fs/1.0.0/metadata.json'))).toBe(true)
    expect(existsSync(join(project.dir, 'tools/mine/metadata.json'))).toBe(false)
    expect(await project.orla(['call', 'fs'])).toMatchObject({ status: 0 })
  })

  it('Q124: cannot come with a package, whose digest would not speak of it', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'source/tool.yaml': 'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: main\npermissions: []\n',
      'source/main': '#!/bin/sh\ncat "$(dirname "$0")/metadata.json" 2>/dev/null || echo none\n',
      'source/metadata.json': '"from elsewhere"',
    })
    expect((await project.orla(['pack', 'source'])).stderr).toContain('metadata.json is not packed')
    expect(await project.orla(['install', '--local', './source', '--yes'])).toMatchObject({ status: 0 })
    expect((await project.orla(['call', 'fs'])).stdout).toBe('none\n')
    expect(await project.orla(['verify'])).toMatchObject({ status: 0 })
  })
})

describe('/metrics', () => {
  const SAMPLE = /^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\d+(?:\.\d+)?(?:e[+-]\d+)?)$/

  /** Every line is a comment or a number; what it is said to be stands before it. */
  function parse(text: string): Map<string, number> {
    const types = new Map<string, string>()
    const samples = new Map<string, number>()
    expect(text.endsWith('\n')).toBe(true)
    for (const line of text.slice(0, -1).split('\n')) {
      const [, kind, about = '', rest] = /^# (HELP|TYPE) ([a-z_]+) (.+)$/.exec(line) ?? []
      if (kind === 'TYPE') types.set(about, rest ?? '')
      if (kind !== undefined) continue
      const [, name = '', labels = '', value] = SAMPLE.exec(line) ?? expect.fail(line)
      const base = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')
      expect(types.has(base), line).toBe(true)
      const key = `${name}{${labels}}`
      expect(samples.has(key), line).toBe(false)
      samples.set(key, Number(value))
    }
    return samples
  }

  it('Q94, Q111: counts the calls of this server in the text that Prometheus reads', async () => {
    const project = makeProject(TOOLS)
    const server = await project.serve()
    const client = await connectHttp('v2-modern', server.url)
    for (const name of ['good', 'good', 'bad']) await client.call(name)
    await client.call('nobody"\n').catch(() => {})
    const address = new URL('/metrics', server.url)
    const response = await fetch(address)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const samples = parse(await response.text())
    const good = 'tool="good",version="0.0.0"'
    expect(samples.get(`orla_calls_total{${good},outcome="ok"}`)).toBe(2)
    expect(samples.get('orla_calls_total{tool="bad",version="0.0.0",outcome="exit"}')).toBe(1)
    expect(samples.get('orla_unknown_tool_calls_total{}')).toBe(1)
    expect(samples.get(`orla_call_duration_seconds_bucket{${good},le="+Inf"}`)).toBe(2)
    expect(samples.get(`orla_call_duration_seconds_count{${good}}`)).toBe(2)
    expect(samples.get('orla_tools{}')).toBe(2)
    expect(samples.get('orla_problems{}')).toBe(0)
    const counts = [...samples].filter(([key]) => key.includes(`_bucket{${good}`)).map(([, count]) => count)
    expect(counts).toEqual([...counts].sort((a, b) => a - b))
    expect((await fetch(address, { method: 'HEAD' })).status).toBe(200)
    expect((await fetch(address, { method: 'POST' })).status).toBe(405)
  })

  it('Q94: is behind the same guards as everything else', async () => {
    const project = makeProject({ ...TOOLS, 'orla.yaml': 'auth: {token: sesame}\n' })
    const server = await project.serve()
    const address = new URL('/metrics', server.url)
    const look = (headers: Record<string, string>) => fetch(address, { headers })
    expect((await look({})).status).toBe(401)
    expect((await look({ Authorization: 'Bearer sesame', Origin: 'http://evil.example' })).status).toBe(403)
    const samples = parse(await (await look({ Authorization: 'Bearer sesame' })).text())
    expect(samples.get('orla_sessions{}')).toBe(0)
  })
})
