import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CapsuleStatus } from '../../src/model/index.ts'
import { capsuleProcesses, LANGUAGES, makeCapsule, writeCapsule } from './capsule-kit.ts'
import { type Answer, CLIENT_KINDS, connectHttp, connectStdio, type TestClient } from './clients.ts'
import { eventually, type Project, processesWith } from './project.ts'

const text = (answer: Answer) => answer.content.map((block) => block.text ?? block.type).join('|')
const reason = (answer: Answer) => answer._meta?.['orla/reason']
const act = (client: TestClient, word: string, more: Record<string, unknown> = {}, name = 'worker') =>
  client.call(name, { do: word, ...more })

/** A server and a client of it. */
async function serve(project: Project) {
  const server = await project.serve(['--port', '0', '--log-level', 'debug'])
  const client = await connectHttp('v2-modern', server.url)
  return { server, client }
}

async function status(project: Project, name = 'worker'): Promise<CapsuleStatus> {
  const { stdout, stderr } = await project.orla(['capsule', 'status', name, '--json'])
  const found = (JSON.parse(stdout || '{"capsules":[]}') as { capsules: CapsuleStatus[] }).capsules.at(-1)
  if (!found) throw new Error(stderr)
  return found
}

describe('a capsule', () => {
  it.each(LANGUAGES)('Q9, Q68, Q71, Q73: in %s starts with the first call and stays', async (language) => {
    const project = makeCapsule({ language })
    const { client } = await serve(project)
    expect((await client.list()).map(({ name }) => name)).toEqual(['worker'])
    expect(await status(project)).toMatchObject({ state: 'CREATED', pid: null, starts: 0 })
    const first = text(await act(client, 'pid'))
    expect(text(await act(client, 'pid'))).toBe(first)
    expect(text(await act(client, 'echo', { text: 'hi there' }))).toBe('hi there')
    expect(await status(project)).toMatchObject({ state: 'READY', starts: 1, calls: 3, crashes: 0 })
    expect(capsuleProcesses(project)).toHaveLength(1)
  })

  it.each(CLIENT_KINDS)('answers %s over both transports, in every shape of result', async (kind) => {
    const project = makeCapsule()
    const server = await project.serve()
    for (const client of [await connectHttp(kind, server.url), await connectStdio(kind, project)]) {
      expect(await act(client, 'json', { text: 'a' })).toMatchObject({ structuredContent: { text: 'a' } })
      expect(await act(client, 'mcp', { text: 'b' })).toMatchObject({
        content: [{ type: 'text', text: 'b' }, { type: 'image' }],
        structuredContent: { text: 'b' },
      })
      expect(await act(client, 'fail')).toMatchObject({
        isError: true,
        content: [{ text: 'it did not work' }],
      })
      const thrown = await act(client, 'throw')
      expect([thrown.isError, text(thrown)]).toEqual([true, expect.stringContaining('no such luck')])
    }
  })

  it('Q70, Q75: runs in its own folder with its own variables, and Orla changes nothing there', async () => {
    const program = `#!/bin/sh
echo '{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"NAME","version":"VERSION"}}'
while read -r line; do
  id=$(printf %s "$line" | sed 's/.*"id":\\([^,}]*\\).*/\\1/')
  printf '{"jsonrpc":"2.0","id":%s,"result":"%s %s %s %s"}\\n' "$id" "$PWD" "$COLOUR" "$1" "\${SECRET:-none}"
done
`
    const project = makeCapsule({ program, runtime: ['env: {COLOUR: blue}', 'args: [--fast]'] })
    const server = await project.serve(undefined, { env: { SECRET: 'x' } })
    const client = await connectHttp('v1', server.url)
    expect(text(await client.call('worker'))).toBe(`${project.dir}/tools/worker blue --fast none`)
    expect(existsSync(join(project.dir, 'tools/worker/metadata.json'))).toBe(false)
  })

  it('is called from the command line and tested without a server, and leaves nothing', async () => {
    const project = makeCapsule(
      {},
      {
        'tools/worker/tests/echo.test.json': JSON.stringify({
          name: 'echoes',
          input: { do: 'json', text: 'hi' },
          expected: { text: 'hi' },
        }),
      },
    )
    const called = await project.orla(['call', 'worker', '-a', 'do=echo', '-a', 'text=hello'])
    expect(called).toMatchObject({ status: 0, stdout: expect.stringContaining('hello') })
    expect(await project.orla(['test', 'worker'])).toMatchObject({ status: 0 })
    const crashed = await project.orla(['call', 'worker', '-a', 'do=exit', '-a', 'code:=3'])
    expect(crashed).toMatchObject({ status: 1, stderr: expect.stringMatching(/status 3/) })
    expect(capsuleProcesses(project)).toEqual([])
  })

  it('shows its progress and learns of cancellation', async () => {
    const project = makeCapsule()
    const { client } = await serve(project)
    await act(client, 'pid')
    const stop = new AbortController()
    const never = act(client, 'never').catch(() => 'x')
    const cancelled = client.call('worker', { do: 'never' }, stop.signal).catch(() => 'cancelled')
    await eventually(async () => (await status(project)).running === 2, 'two calls')
    stop.abort()
    expect(await cancelled).toBe('cancelled')
    await eventually(() => existsSync(join(project.dir, 'tools/worker/cancelled')), 'told of it')
    void never
  })
})

describe('the handshake', () => {
  const failing = (lines: string) => `#!/bin/sh\n${lines}\n`
  const hello = (name: string, version: string) =>
    `echo '{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"${name}","version":"${version}"}}'`

  it.each([
    ['nothing said in time', 'echo loading the model >&2; sleep 600', /within 500 ms.*loading the model/s],
    ['another name', `${hello('other', '1.0.0')}; sleep 600`, /`other`.*`worker`|`worker`.*`other`/s],
    ['another version', `${hello('worker', '2.0.0')}; sleep 600`, /2\.0\.0.*1\.0\.0|1\.0\.0.*2\.0\.0/s],
    ['an end before it', 'echo no config >&2; exit 7', /status 7.*no config/s],
  ])('Q72, Q73: %s is a startup failure that says what was seen', async (_title, lines, message) => {
    const project = makeCapsule({
      program: failing(lines),
      startupMs: 500,
      restart: '{base_ms: 5, cap_ms: 10, limit: 2}',
    })
    const { client } = await serve(project)
    const answer = await client.call('worker')
    expect([answer.isError, reason(answer)]).toEqual([true, 'crashed'])
    expect(text(answer)).toMatch(message)
    expect(await status(project)).toMatchObject({ state: 'STOPPED', crashes: 2 })
    expect(capsuleProcesses(project)).toEqual([])
  })

  it('Q71, Q72: noise before and after it, and a second one, are logged and harm nothing', async () => {
    const project = makeCapsule()
    const main = join(project.dir, 'tools/worker/main')
    const { client, server } = await serve(project)
    expect(text(await act(client, 'noise'))).toBe('noise made')
    expect(text(await act(client, 'hello'))).toBe('said again')
    await server.record(({ msg, level }) => level === 'warn' && /second|twice|again/.test(msg))
    expect(text(await act(client, 'echo', { text: 'well' }))).toBe('well')
    const { stdout } = await project.orla(['capsule', 'logs', 'worker'])
    expect(stdout).toContain('this is no message')
    expect(stdout).toContain('worker is up')
    expect(existsSync(main)).toBe(true)
  })
})

describe('a crash', () => {
  it.each(LANGUAGES)(
    'Q80, Q81: in %s fails the calls in flight at once, and the tool answers again',
    async (language) => {
      const project = makeCapsule({ language })
      const { client } = await serve(project)
      const first = text(await act(client, 'pid'))
      const begun = Date.now()
      const answer = await act(client, 'exit', { code: 3 })
      expect([answer.isError, reason(answer), text(answer)]).toEqual([
        true,
        'crashed',
        expect.stringMatching(/`worker`.*exited with status 3/),
      ])
      expect(Date.now() - begun).toBeLessThan(2_000)
      const killed = await act(client, 'die')
      expect(text(killed)).toMatch(/SIGKILL/)
      const later = text(await act(client, 'pid'))
      expect(later).not.toBe(first)
      expect(await status(project)).toMatchObject({ state: 'READY', crashes: 2, starts: 3 })
    },
  )

  it('every call in flight fails within 100 ms of the end, naming the signal', async () => {
    const project = makeCapsule()
    const { client } = await serve(project)
    const pid = Number(text(await act(client, 'pid')))
    const calls = Array.from({ length: 10 }, () =>
      act(client, 'never').then((answer) => ({ answer, at: Date.now() })),
    )
    await eventually(async () => (await status(project)).running === 10, 'ten calls in flight')
    process.kill(pid, 'SIGSEGV')
    const killed = Date.now()
    for (const { answer, at } of await Promise.all(calls)) {
      expect(text(answer)).toMatch(/SIGSEGV/)
      // The promise is 100 ms; the rest is for a busy machine.
      expect(at - killed).toBeLessThan(500)
    }
  })

  it('Q25, Q82: too many stop it; a call says so and how to go on; a start brings it back', async () => {
    const project = makeCapsule({ runtime: [] }, { 'orla.yaml': 'capsules: {restart: {limit: 3}}\n' })
    const { client } = await serve(project)
    for (let crash = 0; crash < 3; crash++) await act(client, 'exit', { code: 1 })
    const refused = await act(client, 'echo', { text: 'x' })
    expect([refused.isError, reason(refused)]).toEqual([true, 'crashed'])
    expect(text(refused)).toMatch(/`worker` is stopped.*3 times.*orla capsule start worker/s)
    expect(await status(project)).toMatchObject({ state: 'STOPPED', pid: null })
    const started = await project.orla(['capsule', 'start', 'worker'])
    expect(started).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^worker 1\.0\.0 is READY \(pid \d+\)\n$/),
    })
    expect(text(await act(client, 'echo', { text: 'back' }))).toBe('back')
  })
})

describe('the commands', () => {
  it('stop, start, restart, list, status and logs reach the running server', async () => {
    const project = makeCapsule()
    expect(await project.orla(['capsule', 'list'])).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('no server'),
    })
    const { client } = await serve(project)
    const first = text(await act(client, 'pid'))
    expect((await project.orla(['capsule', 'list'])).stdout).toMatch(/worker\s+1\.0\.0\s+READY\s+\d+\s+1\s+0/)
    expect((await project.orla(['capsule', 'restart', 'worker'])).stdout).toMatch(/is READY/)
    const second = text(await act(client, 'pid'))
    expect(second).not.toBe(first)
    expect(await project.orla(['capsule', 'stop', 'worker'])).toMatchObject({
      status: 0,
      stdout: 'worker 1.0.0 is STOPPED\n',
    })
    expect(capsuleProcesses(project)).toEqual([])
    const refused = await act(client, 'pid')
    expect(text(refused)).toMatch(/stopped by command.*orla capsule start worker/s)
    expect((await project.orla(['capsule', 'start', 'worker', '--json'])).status).toBe(0)
    expect((await act(client, 'pid')).isError).not.toBe(true)
    const logs = await project.orla(['capsule', 'logs', 'worker', '--json'])
    const { lines } = JSON.parse(logs.stdout) as { lines: { source: string; text: string }[] }
    expect(lines.filter(({ source }) => source === 'stderr').map((line) => line.text)).toContain(
      'worker is up',
    )
    const unknown = await project.orla(['capsule', 'restart', 'worke'])
    expect(unknown).toMatchObject({ status: 4, stderr: expect.stringContaining('worke') })
    const shown = await project.orla(['capsule', 'status', 'worker'])
    expect(shown.stdout).toMatch(/worker 1\.0\.0 is READY[\s\S]*calls[\s\S]*tools\s+worker/)
  })
})

describe('hot reload', () => {
  const hot = ['hot_load: {watch: [.], debounce_ms: 50}']

  it('Q77, Q78, Q79: a changed source is a new process; calls that come meanwhile wait for it', async () => {
    const project = makeCapsule({ runtime: hot }, { 'tools/worker/data/a.txt': 'a' })
    const { client } = await serve(project)
    const first = text(await act(client, 'pid'))
    project.write({ 'tools/worker/data/a.txt': 'b' })
    await eventually(async () => (await status(project)).starts >= 2, 'a second process')
    const second = text(await act(client, 'pid'))
    expect(second).not.toBe(first)
    // An editor that saves beside and renames.
    writeFileSync(join(project.dir, 'tools/worker/data/.a.txt.swp'), 'x')
    writeFileSync(join(project.dir, 'tools/worker/data/new'), 'c')
    renameSync(join(project.dir, 'tools/worker/data/new'), join(project.dir, 'tools/worker/data/a.txt'))
    await eventually(async () => (await status(project)).starts >= 3, 'a third process')
    expect(text(await act(client, 'pid'))).not.toBe(second)
  })

  it('calls in flight finish first', async () => {
    const project = makeCapsule({ runtime: hot })
    const { server, client } = await serve(project)
    const before = text(await act(client, 'pid'))
    const release = join(project.dir, 'release')
    const held = act(client, 'until', { file: release })
    await eventually(() => existsSync(`${release}.begun`), 'the call runs')
    project.write({ 'tools/worker/other.txt': '1' })
    await server.record(({ msg }) => /reloading because/.test(msg))
    const waiting = act(client, 'pid')
    writeFileSync(release, '')
    expect(text(await held)).toBe('released')
    const after = await waiting
    expect([after.isError ?? false, text(after) === before]).toEqual([false, false])
    expect(await status(project)).toMatchObject({ state: 'READY', starts: 2, crashes: 0 })
  })

  it('a burst of 1,000 changes is one restart, and what is ignored is none', async () => {
    const project = makeCapsule({ runtime: ['hot_load: {watch: [.], debounce_ms: 300}'] })
    const folder = join(project.dir, 'tools/worker')
    for (const name of ['.git', 'node_modules', '__pycache__', 'src']) mkdirSync(join(folder, name))
    const { client } = await serve(project)
    await act(client, 'pid')
    for (const name of ['.git/index', 'node_modules/x.js', '__pycache__/x.pyc', 'src/.x.swp', 'src/x~'])
      writeFileSync(join(folder, name), 'x')
    for (let index = 0; index < 1_000; index++)
      writeFileSync(join(folder, 'src', `f${index % 50}`), String(index))
    await eventually(async () => (await status(project)).starts >= 2, 'a restart')
    await act(client, 'pid')
    expect((await status(project)).starts).toBe(2)
    for (const name of ['.git/index', 'node_modules/x.js', '__pycache__/x.pyc', 'src/.x.swp', 'src/x~'])
      writeFileSync(join(folder, name), 'y')
    writeFileSync(join(folder, 'src/end'), 'x')
    await eventually(async () => (await status(project)).starts >= 3, 'the restart by src/end')
    await act(client, 'pid')
    expect((await status(project)).starts).toBe(3)
  })
})

describe('watching over it', () => {
  it('Q76: one that is stopped by a signal or hangs is found by its health check and replaced', async () => {
    const project = makeCapsule({ runtime: ['health: {interval_ms: 100, timeout_ms: 300}'] })
    const { client } = await serve(project)
    const pid = Number(text(await act(client, 'pid')))
    process.kill(pid, 'SIGSTOP')
    const answer = await act(client, 'never')
    expect([reason(answer), text(answer)]).toEqual(['crashed', expect.stringMatching(/ping/)])
    expect(Number(text(await act(client, 'pid')))).not.toBe(pid)
    expect(text(await act(client, 'loop'))).toMatch(/ping/)
    expect((await act(client, 'pid')).isError).not.toBe(true)
    expect(capsuleProcesses(project)).toHaveLength(1)
  })

  it('one that is idle is stopped and started again by the next call', async () => {
    const project = makeCapsule({ runtime: ['idle_timeout_ms: 200'] })
    const { client } = await serve(project)
    const first = text(await act(client, 'pid'))
    await eventually(() => capsuleProcesses(project).length === 0, 'it is gone')
    expect(await status(project)).toMatchObject({ state: 'CREATED', crashes: 0 })
    expect(text(await act(client, 'pid'))).not.toBe(first)
  })

  it('eager ones start with the server', async () => {
    const project = makeCapsule({ runtime: ['start: eager'] })
    await serve(project)
    await eventually(
      async () => (await status(project)).state === 'READY' || undefined,
      'READY without a call',
    )
  })
})

describe('many calls at once', () => {
  it('are pipelined, answered in any order, and limited where the package says so', async () => {
    const project = makeCapsule()
    const { client } = await serve(project)
    const calls = Array.from({ length: 10 }, (_, index) =>
      act(client, 'pair', { text: `n${index}`, last: index === 9 }),
    )
    expect((await Promise.all(calls)).map(text)).toEqual(calls.map((_, index) => `n${index}`))
    writeCapsule(project, { version: '1.0.1', runtime: ['max_concurrency: 2'] })
    await eventually(async () => (await status(project)).version === '1.0.1', 'the new version')
    await Promise.all(Array.from({ length: 12 }, () => act(client, 'slow', { ms: 20 })))
    expect(await act(client, 'most')).toMatchObject({ content: [{ text: '2' }] })
  })

  it('Q69: large messages go both ways', async () => {
    const project = makeCapsule()
    const { client } = await serve(project)
    const large = 'ä'.repeat(1_000_000)
    expect(text(await act(client, 'echo', { text: large }))).toBe(large)
    const tooLarge = await act(client, 'big', { size: 12 * 1024 * 1024 })
    expect(tooLarge.isError).toBe(true)
    expect(text(await act(client, 'echo', { text: 'after' }))).toBe('after')
  })
})

describe('the end', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'of the server by %s is the end of all it started',
    async (signal) => {
      const project = makeCapsule()
      const tag = String(Math.floor(Math.random() * 1e12))
      const { client, server } = await serve(project)
      expect(text(await act(client, 'daemon', { tag }))).toBe('started')
      expect(processesWith(`600.${tag}`)).not.toEqual([])
      await server.stop(signal)
      await eventually(() => capsuleProcesses(project).length === 0, 'the capsule is gone')
      await eventually(() => processesWith(`600.${tag}`).length === 0, 'what it started is gone')
      // The next command that looks for a server sweeps what one that was killed could not.
      expect(await project.orla(['capsule', 'list'])).toMatchObject({ status: 4 })
      const run = readdirSync(join(project.env.ORLA_HOME ?? '', 'run'))
      expect(run.filter((name) => /^\d+\./.test(name))).toEqual([])
    },
  )

  it('of a capsule is the end of what it started', async () => {
    const project = makeCapsule({ language: 'python' })
    const tag = String(Math.floor(Math.random() * 1e12))
    const { client } = await serve(project)
    await act(client, 'daemon', { tag })
    await act(client, 'exit', { code: 1 })
    await eventually(() => processesWith(`600.${tag}`).length === 0, 'its child is gone')
  })
})

describe('a reload of the server', () => {
  it('leaves a capsule alone that did not change', async () => {
    const project = makeCapsule()
    const { client, server } = await serve(project)
    const first = text(await act(client, 'pid'))
    project.write({ 'tools/other.sh': '#!/bin/sh\necho hi\n' })
    server.child.kill('SIGHUP')
    await server.record(({ msg }) => msg === 'reloaded')
    expect(text(await act(client, 'pid'))).toBe(first)
  })

  it('keeps the old one for a connection that knows it, and ends it when that leaves', async () => {
    const project = makeCapsule()
    const { server } = await serve(project)
    const old = await connectHttp('v1', server.url)
    await old.list()
    const first = text(await act(old, 'pid'))
    writeCapsule(project, { version: '2.0.0' })
    const modern = await connectHttp('v2-modern', server.url)
    await eventually(async () => (await status(project)).version === '2.0.0', 'the new version')
    const second = text(await act(modern, 'pid'))
    expect(second).not.toBe(first)
    expect(text(await act(old, 'pid'))).toBe(first)
    expect(capsuleProcesses(project)).toHaveLength(2)
    await old.list()
    await eventually(() => capsuleProcesses(project).length === 1, 'the old one is gone')
    expect(text(await act(old, 'pid'))).toBe(second)
  })

  it('ends one whose package is gone', async () => {
    const project = makeCapsule()
    const { client } = await serve(project)
    await act(client, 'pid')
    rmSync(join(project.dir, 'tools/worker'), { recursive: true })
    await eventually(() => capsuleProcesses(project).length === 0, 'it is gone')
  })

  it('Q46, Q47: orla-tool.json makes a capsule too', async () => {
    const project = makeCapsule()
    project.write({
      'tools/worker/orla-tool.json': JSON.stringify({
        name: 'worker',
        version: '1.0.0',
        entrypoint: 'main',
        language: 'cobol',
      }),
    })
    rmSync(join(project.dir, 'tools/worker/tool.yaml'))
    const { client } = await serve(project)
    expect(text(await act(client, 'echo', { text: 'old style' }))).toBe('old style')
  })
})
