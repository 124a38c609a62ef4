import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  childrenOf,
  eventually,
  type Finished,
  makeProject,
  NODE,
  ORLA,
  type Project,
  processesWith,
} from './project.ts'

const INFO = { name: 'raw', version: '1' }
const HELLO = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: INFO }
const PREFIX = 'io.modelcontextprotocol/'
const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: '2026-07-28',
  [`${PREFIX}clientCapabilities`]: {},
  [`${PREFIX}clientInfo`]: INFO,
}
const OPENING = [
  line({ id: 1, method: 'initialize', params: HELLO }),
  line({ method: 'notifications/initialized' }),
]
const TOOLS = {
  'tools/echo.sh': '#!/bin/sh\necho hi\n',
  'tools/nap.sh': '#!/bin/sh\nsleep 0.3\necho slept\n',
}

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
}

function call(id: number, name: string, more: object = {}): string {
  return line({ id, method: 'tools/call', params: { name, arguments: {}, ...more } })
}

function answersOf({ stdout }: Finished): Map<unknown, Record<string, unknown>> {
  const lines = stdout.split('\n').filter((text) => text !== '')
  return new Map(lines.map((text) => [JSON.parse(text).id, JSON.parse(text)]))
}

async function ask(project: Project, ...lines: readonly string[]): Promise<Finished> {
  const finished = await project.orla(['--stdio'], { stdin: lines.join('') })
  expect([finished.status, finished.stderr]).toEqual([0, expect.stringContaining('"msg":"stopped"')])
  return finished
}

/** Without it nobody can tell, and the grace is all there is. */
const hasLauncher =
  existsSync(join(dirname(ORLA), 'launcher')) && !process.env.ORLA_TEST_ENV?.includes('ORLA_LAUNCHER=off')
/** Those of other servers on this machine as well. */
const watchers = () => processesWith('launcher --audience')
const unique = () => `65.${process.pid}${Math.floor(Math.random() * 1e9)}`
const waiting = (marker: string) => `#!/bin/sh\ntouch started\nsleep ${marker}\necho never\n`

describe('Q16: what comes over stdio together with the end of input', () => {
  it('is answered: greeting, lists, and calls that still run', async () => {
    const finished = await ask(
      makeProject(TOOLS),
      ...OPENING,
      line({ id: 2, method: 'tools/list' }),
      call(3, 'nap'),
      line({ id: 4, method: 'prompts/list' }),
      line({ id: 5, method: 'nonsense' }),
      call(6, 'echo'),
    )
    const answers = answersOf(finished)
    expect(new Set(answers.keys())).toEqual(new Set([1, 2, 3, 4, 5, 6]))
    expect(answers.get(2)).toMatchObject({ result: { tools: [{ name: 'echo' }, { name: 'nap' }] } })
    expect(answers.get(3)).toMatchObject({ result: { structuredContent: { stdout: 'slept\n' } } })
    expect(answers.get(4)).toMatchObject({ result: { prompts: [] } })
    expect(answers.get(5)).toMatchObject({ error: { code: -32601 } })
    expect(answers.get(6)).toMatchObject({ result: { structuredContent: { stdout: 'hi\n' } } })
  })

  it('is answered in the modern era too', async () => {
    const finished = await ask(
      makeProject(TOOLS),
      line({ id: 1, method: 'server/discover', params: { _meta: ENVELOPE } }),
      line({ id: 2, method: 'tools/list', params: { _meta: ENVELOPE } }),
      call(3, 'nap', { _meta: ENVELOPE }),
    )
    const answers = answersOf(finished)
    expect(answers.get(1)).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } })
    expect(answers.get(2)).toMatchObject({ result: { tools: [{ name: 'echo' }, { name: 'nap' }] } })
    expect(answers.get(3)).toMatchObject({ result: { structuredContent: { stdout: 'slept\n' } } })
  })

  it('counts as a message without a line break behind it', async () => {
    const finished = await ask(makeProject(TOOLS), ...OPENING, call(2, 'echo').trimEnd())
    expect(answersOf(finished).get(2)).toMatchObject({ result: { structuredContent: { stdout: 'hi\n' } } })
  })

  it.each(['{"jsonrpc":"2.0","id":2,"meth', 'nonsense', '\n\n', '{"not":"a message"}\n', '\u0000'])(
    'may be garbage, %j, which takes nothing from the rest',
    async (garbage) => {
      const finished = await ask(makeProject(TOOLS), ...OPENING, call(3, 'nap'), garbage)
      expect([...answersOf(finished).keys()]).toEqual([1, 3])
    },
  )

  it('may be nothing', async () => {
    expect((await ask(makeProject(TOOLS))).stdout).toBe('')
  })

  it('is written whole to a reader that takes its time', async () => {
    const project = makeProject({ 'tools/long.sh': '#!/bin/sh\nhead -c 3000000 /dev/zero | tr "\\\\0" x\n' })
    const server = await project.serve(['--stdio'])
    const { stdin, stdout } = server.child
    const ended = once(server.child, 'close')
    stdin?.end([...OPENING, call(2, 'long')].join(''))
    await server.record(({ msg }) => msg === 'call')
    let bytes = 0
    stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    expect(await ended).toEqual([0, null])
    expect(bytes).toBeGreaterThan(6_000_000)
  })
})

describe('a call that is still running after the end of input', () => {
  async function run(project: Project) {
    const server = await project.serve(['--stdio'])
    let out = ''
    server.child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    const ended = once(server.child, 'close')
    server.child.stdin?.end([...OPENING, call(2, 'wait')].join(''))
    await eventually(() => existsSync(join(project.dir, 'started')), 'the tool runs')
    return { server, ended, out: () => out }
  }

  it('is ended with the grace, with an answer, and leaves nothing', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 300ms\n', 'tools/wait.sh': waiting(marker) })
    const { ended, out } = await run(project)
    expect(await ended).toEqual([0, null])
    expect(out()).toMatch(/"isError":true.*"id":2/)
    expect(processesWith(`sleep ${marker}`)).toEqual([])
  })

  it('is ended by a signal at once', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 60s\n', 'tools/wait.sh': waiting(marker) })
    const { server, ended } = await run(project)
    await server.record(({ msg, cause }) => msg === 'stopping' && cause === 'end of input')
    server.child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(processesWith(`sleep ${marker}`)).toEqual([])
  })

  it.skipIf(!hasLauncher)('is ended at once when the client does not read either', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 60s\n', 'tools/wait.sh': waiting(marker) })
    const { server, ended } = await run(project)
    await server.record(({ msg, cause }) => msg === 'stopping' && cause === 'end of input')
    const looking = () => childrenOf(server.child.pid).filter((pid) => watchers().includes(pid))
    const [watcher] = await eventually(() => looking().length > 0 && looking(), 'someone looks')
    server.child.stdout?.destroy()
    expect(await ended).toEqual([0, null])
    expect(processesWith(`sleep ${marker}`)).toEqual([])
    await eventually(() => !watchers().includes(watcher ?? 0), 'nobody looks any more')
  })

  it.skipIf(!hasLauncher)('is ended at once when what is behind a pipe of the shell has gone', async () => {
    const marker = unique()
    const project = makeProject({ 'orla.yaml': 'shutdown_grace: 60s\n', 'tools/wait.sh': waiting(marker) })
    project.write({ input: [...OPENING, call(2, 'wait')].join('') })
    // The reader takes the greeting and leaves when the tool runs.
    const shell = `cat input | "$NODE" "$ORLA" --stdio | (read -r line; while [ ! -e started ]; do sleep 0.05; done)`
    const env = { ...project.env, NODE, ORLA }
    const child = spawn('/bin/sh', ['-c', shell], { cwd: project.dir, env, stdio: 'ignore' })
    await once(child, 'close')
    await eventually(() => processesWith(`sleep ${marker}`).length === 0, 'nothing is left')
    await eventually(() => processesWith(project.dir).length === 0, 'the server is gone')
  })
})
