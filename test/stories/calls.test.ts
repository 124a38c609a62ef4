import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Answer,
  CLIENT_KINDS,
  type ClientKind,
  connectHttp,
  connectStdio,
  type TestClient,
  TRANSPORTS,
} from './clients.ts'
import { eventually, makeProject, type Project, processesWith } from './project.ts'

/** No other run on this machine sleeps as long. */
const own = String(process.pid).padStart(7, '0')
const [SLOW, HELD] = [`61.${own}`, `62.${own}`]

const TOOLS = {
  'tools/show.sh':
    '#!/bin/sh\n# @param second {string}\n# @param [first_one] {integer}\n# @param [args] {string[]} words\n# @param [stdin] {string} input\nprintf "%s|" "$@"; cat\n',
  'tools/fail.sh': '#!/bin/sh\necho out; echo err >&2; exit 3\n',
  'tools/slow.sh': `#!/bin/sh\nsleep ${SLOW}\n`,
  'tools/nowhere.sh': '#!/no/such/interpreter\n',
  'tools/killed.sh': '#!/bin/sh\nkill -SEGV $$\n',
  'tools/holder.sh': `#!/bin/sh\nsleep ${HELD} &\necho done\n`,
  'tools/binary.sh': '#!/bin/sh\nprintf "\\377\\376\\000x"\n',
  'tools/nothing.sh': '#!/bin/sh\n',
  'tools/closes.sh': '#!/bin/sh\nexec <&-\necho closed\n',
  'tools/flood.sh': '#!/bin/sh\nexec cat /dev/zero\n',
  'tools/json.sh':
    '#!/bin/sh\n# @param [what] {string}\ncat >/dev/null\ncase "$2" in bad) echo "{\\"n\\": \\"x\\"}";; text) echo hi;; *) echo "{\\"n\\": 1}";; esac\n',
  'tools/json.tool.yaml':
    'mcp:\n  output_schema: {type: object, properties: {n: {type: number}}, required: [n]}\n',
}

async function connect(
  kind: ClientKind,
  transport: string,
  project: Project,
  args: string[] = [],
): Promise<TestClient> {
  if (transport === 'stdio') return connectStdio(kind, project, args)
  const server = await project.serve(['--port', '0', ...args])
  return connectHttp(kind, server.url)
}

const WAYS = TRANSPORTS.flatMap((transport) => CLIENT_KINDS.map((kind) => ({ kind, transport })))

describe('calls', () => {
  it.each(WAYS)('Q14, Q15: tell what happened to $kind over $transport', async ({ kind, transport }) => {
    const project = makeProject(TOOLS)
    const client = await connect(kind, transport, project, ['--timeout', '1s'])
    await client.list()

    expect(
      await client.call('show', { second: 'b c', first_one: 1, args: ['x', 'y'], stdin: 'raw' }),
    ).toMatchObject({
      content: [{ type: 'text', text: '--second|b c|--first-one|1|x|y|raw' }],
    })
    const json = await client.call('show', { second: 'é' })
    expect(json.content[0]?.text).toBe('--second|é|{"second":"é"}')

    const failed = await client.call('fail')
    expect(failed).toMatchObject({
      isError: true,
      content: [
        { type: 'text', text: 'out\n' },
        { type: 'text', text: 'stderr: err\n' },
        { type: 'text', text: 'exit_code: 3' },
      ],
      structuredContent: { stdout: 'out\n', stderr: 'err\n', exit_code: 3 },
    })
    expect(reason(failed)).toBe('exit')

    const late = await client.call('slow')
    expect(late.isError).toBe(true)
    expect(reason(late)).toBe('timeout')
    expect(late.content[0]?.text).toMatch(/1 s/)

    const broken = await client.call('nowhere')
    expect(reason(broken)).toBe('spawn')
    expect(broken.content[0]?.text).toContain('/no/such/interpreter')

    await expect(client.call('absent')).rejects.toMatchObject({ code: -32602 })
    const wrong = await client.call('show', { second: 7 })
    expect([wrong.isError, reason(wrong)]).toEqual([true, 'input'])
    expect(wrong.content[0]?.text).toMatch(/second/)
    expect(processesWith(`sleep ${SLOW}`)).toEqual([])
  })

  it('give a clear result whatever the tool does', async () => {
    const project = makeProject(TOOLS)
    const client = await connect('v1', 'http', project)
    await client.list()
    const begun = Date.now()
    expect((await client.call('holder')).content).toEqual([{ type: 'text', text: 'done\n' }])
    expect(Date.now() - begun).toBeLessThan(10_000)
    expect(processesWith(`sleep ${HELD}`)).toEqual([])
    expect((await client.call('nothing')).structuredContent).toEqual({ stdout: '', stderr: '', exit_code: 0 })
    expect((await client.call('closes', { stdin: 'x'.repeat(1_000_000) })).content[0]?.text).toBe('closed\n')
    const killed = await client.call('killed')
    expect([killed.isError, reason(killed)]).toEqual([true, 'exit'])
    expect(JSON.stringify(killed)).toContain('SIGSEGV')
    const binary = await client.call('binary')
    expect(binary.structuredContent).toMatchObject({ stdout: '//4AeA==', stdout_encoding: 'base64' })
    const flood = await client.call('flood')
    expect([flood.isError, reason(flood)]).toEqual([true, 'limit'])
    expect(flood.content[0]?.text).toMatch(/10 MiB/)

    rmSync(join(project.dir, 'tools/nothing.sh'))
    const gone = await client.call('nothing')
    expect(gone.isError).toBe(true)
    expect((await client.call('fail')).isError).toBe(true)
  })

  it('with an output schema return the JSON, or say where it does not fit', async () => {
    const project = makeProject(TOOLS)
    const client = await connect('v2-modern', 'http', project)
    await client.list()
    const good = await client.call('json')
    expect(good.structuredContent).toEqual({ n: 1 })
    expect(JSON.parse(good.content[0]?.text ?? '')).toEqual({ n: 1 })
    const bad = await client.call('json', { what: 'bad' })
    expect([bad.isError, reason(bad)]).toEqual([true, 'output'])
    expect(bad.content[0]?.text).toMatch(/\/n|`n`/)
    const text = await client.call('json', { what: 'text' })
    expect(text.content[0]?.text).toMatch(/JSON/)
  })

  it.each(WAYS)(
    'Q12, Q16: end with all their processes when $kind over $transport cancels',
    async ({ kind, transport }) => {
      const marker = `63.${process.pid}${Math.floor(Math.random() * 1e6)}`
      const project = makeProject({
        'tools/wait.sh': `#!/bin/sh\nsleep ${marker} &\ntouch started\nsleep ${marker}\n`,
        'tools/ok.sh': '#!/bin/sh\necho ok\n',
      })
      const client = await connect(kind, transport, project)
      const abort = new AbortController()
      const call = client.call('wait', {}, abort.signal)
      call.catch(() => {}) // judged below
      await eventually(() => existsSync(join(project.dir, 'started')), 'the tool runs')
      await eventually(() => processesWith(`sleep ${marker}`).length >= 2, 'both sleeps run')
      abort.abort()
      await expect(call).rejects.toThrow()
      await eventually(() => processesWith(`sleep ${marker}`).length === 0, 'nothing is left')
      expect((await client.call('ok')).content[0]?.text).toBe('ok\n')
    },
  )

  it('all answer when 500 come at once', async () => {
    const project = makeProject({ 'tools/echo.sh': '#!/bin/sh\n# @param n {integer}\necho "$2"\n' })
    const client = await connect('v2-legacy', 'stdio', project)
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => client.call('echo', { n })))
    expect(answers.map((answer) => Number(answer.content[0]?.text))).toEqual(
      Array.from({ length: 500 }, (_, n) => n),
    )
  }, 120_000)

  it('wait beyond the cap, and can be cancelled while they wait', async () => {
    const project = makeProject({
      'orla.yaml': 'limits:\n  concurrency: 1\n',
      'tools/gate.sh': '#!/bin/sh\ntouch started\nwhile [ ! -e open ]; do sleep 0.05; done\necho through\n',
      'tools/mark.sh': '#!/bin/sh\ntouch marked\n',
    })
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    const first = client.call('gate')
    await eventually(() => existsSync(join(project.dir, 'started')), 'the first runs')
    const abort = new AbortController()
    const waiting = client.call('mark', {}, abort.signal)
    const last = client.call('gate')
    abort.abort()
    await expect(waiting).rejects.toThrow()
    await server.record(({ tool, reason }) => tool === 'mark' && reason === 'cancelled')
    project.write({ open: '' })
    expect((await first).content[0]?.text).toBe('through\n')
    expect((await last).content[0]?.text).toBe('through\n')
    expect(existsSync(join(project.dir, 'marked'))).toBe(false)
  })

  it('give a tool the environment without ORLA_ and the project as its folder', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'sub/x': '',
      'tools/where.sh': '#!/bin/sh\npwd -P; env | grep -c ^ORLA_; echo "$API_KEY"\n',
    })
    const { stdout } = await project.orla(['call', 'where'], {
      cwd: join(project.dir, 'sub'),
      env: { API_KEY: 'k', ORLA_LOG_LEVEL: 'info' },
    })
    expect(stdout.split('\n').slice(1)).toEqual(['0', 'k', ''])
    expect(stdout.split('\n')[0]).toMatch(/project$/)
  })
})

function reason(answer: Answer): unknown {
  return answer._meta?.['orla/reason']
}
