import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeCapsule } from './capsule-kit.ts'
import { callBothWays, chainFiles, connectTo, makeChains } from './chain-kit.ts'
import { packageFiles, serveHttp } from './mcpkg-kit.ts'
import { eventually, ok, type Project, processesWith } from './project.ts'

/** Every story here starts the program several times. */
const MANY_STARTS_MS = 60_000
const ALL = 'acme.flow.all'
const MCP_SERVER = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/capsules/mcp-server.mjs')

const noted = ({ dir }: Project) =>
  existsSync(join(dir, 'noted'))
    ? readFileSync(join(dir, 'noted'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []

describe('a chain calls whatever is a tool', { timeout: MANY_STARTS_MS }, () => {
  it('Q118, Q119, Q120: loose, simple, capsule, MCP server, local, HTTP and chain, one after the other', async () => {
    const endpoint = await serveHttp(({ body }) => ({ body: JSON.stringify({ sent: JSON.parse(body) }) }))
    const http = packageFiles('acme.net.send', '1.0.0', {
      implementations: undefined,
      endpoint: { type: 'http', method: 'POST', url: endpoint.url },
    })
    const local = packageFiles('acme.text.say', '1.0.0')
    const project = makeChains({
      'tools/hello.sh': '#!/bin/sh\n# Greets\n# @param name {string} who\nprintf "Hello, %s" "$2"\n',
      'tools/acme.net.send/manifest.json': http['manifest.json'] ?? '',
      'tools/acme.text.say/manifest.json': local['manifest.json'] ?? '',
      'tools/acme.text.say/run.mjs': local['run.mjs'] ?? '',
      'tools/sums/tool.yaml':
        'name: sums\nversion: 1.0.0\ndescription: Adds\nentrypoint: main\nruntime: {mode: capsule, handshake: mcp}\n',
      'tools/sums/main': `#!/bin/sh\nexec '${process.execPath}' '${MCP_SERVER}'\n`,
      ...chainFiles('acme.flow.inner', [
        { step: 'note', tool: 'note', inputMapping: { inner: '$.input.given' } },
      ]),
      ...chainFiles(ALL, [
        { step: 'loose', tool: 'hello', inputMapping: { name: '$.input.who' } },
        { step: 'simple', tool: 'note', inputMapping: { text: '$.loose.stdout' } },
        { step: 'capsule', tool: 'worker', inputMapping: { do: 'json', text: '$.simple.text' } },
        { step: 'server', tool: 'sums.add', inputMapping: { a: 40, b: '$.simple.times' } },
        { step: 'local', tool: 'acme.text.say', inputMapping: { text: '$.capsule', sum: '$.server' } },
        { step: 'http', tool: 'acme.net.send', inputMapping: { body: '$.local.given' } },
        { step: 'chain', tool: 'acme.flow.inner', inputMapping: { given: '$.http.sent' } },
      ]),
    })
    writeCapsule(project, { name: 'worker' })
    const first = JSON.parse(ok(await project.orla(['call', ALL, '{"who":"Ada"}', '--json']))).structured
    expect(first).toEqual({
      inner: { body: { text: expect.anything(), sum: '41' } },
      times: 2,
    })
    expect(JSON.stringify(first.inner.body.text)).toContain('Hello, Ada')
    const client = await connectTo(project)
    expect((await client.call(ALL, { who: 'Bob' })).structuredContent).toMatchObject({
      inner: { body: { sum: '43' } },
      times: 4,
    })
  })

  it('Q118: a cycle and a missing tool are problems when the tools are loaded, with a way out', async () => {
    const project = makeChains({
      ...chainFiles('acme.flow.a', [{ step: 'x', tool: 'acme.flow.b' }]),
      ...chainFiles('acme.flow.b', [{ step: 'x', tool: 'acme.flow.a' }]),
      ...chainFiles('acme.flow.c', [
        { step: 'x', tool: 'note' },
        { step: 'y', tool: 'notes' },
      ]),
      ...chainFiles('acme.flow.d', [{ step: 'x', tool: 'acme.flow.c' }]),
    })
    const { tools, problems } = JSON.parse(ok(await project.orla(['list', '--json'])))
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['note'])
    const told = problems.map(({ message, hint }: { message: string; hint?: string }) => `${message} ${hint}`)
    expect(told.join('\n')).toMatch(
      /`acme\.flow\.a` is not served: its chain calls itself: acme\.flow\.a → acme\.flow\.b/,
    )
    expect(told.join('\n')).toMatch(
      /`acme\.flow\.c`.*calls `notes`, which is not served did you mean `note`\?/,
    )
    // It is here: another install would not help.
    expect(told.join('\n')).toMatch(/`acme\.flow\.d`.*`orla list` says what is wrong with `acme\.flow\.c`/)
    const called = await project.orla(['call', 'acme.flow.c'])
    expect([called.status, called.stderr]).toEqual([
      4,
      expect.stringMatching(/calls `notes`, which is not served/),
    ])
  })

  it('Q91: nothing of it runs by itself, and that is what is told of its sandbox', async () => {
    const project = makeChains(chainFiles('acme.flow.a', [{ step: 'x', tool: 'note' }]))
    const told = ok(await project.orla(['sandbox', 'explain', 'acme.flow.a']))
    expect(told).toMatch(/^acme\.flow\.a 1\.0\.0 {2}a chain: it runs nothing itself.*\n\ncalls +note\n/)
    expect(told).not.toMatch(/every host|your own/)
    const run = await project.orla(['sandbox', 'run', 'acme.flow.a', '--', 'true'])
    expect([run.status, run.stderr]).toEqual([3, expect.stringMatching(/is a chain and runs nothing itself/)])
  })
})

describe('the extensions of a chain', { timeout: MANY_STARTS_MS }, () => {
  it('Q118: when, optional and defaults of the input schema', async () => {
    const project = makeChains(
      chainFiles(
        ALL,
        [
          { step: 'maybe', tool: 'note', when: '$.input.extra', inputMapping: { extra: '$.input.extra' } },
          { step: 'weak', tool: 'note', optional: true, inputMapping: { fail: true } },
          {
            step: 'end',
            tool: 'note',
            inputMapping: { from: '$.input.from', maybe: '$.maybe', weak: '$.weak' },
          },
        ],
        { input_schema: { type: 'object', properties: { from: { type: 'string', default: 'the schema' } } } },
      ),
    )
    expect(await callBothWays(project, ALL)).toMatchObject({ from: 'the schema' })
    expect(noted(project)).toEqual([{ fail: true }, { from: 'the schema' }])
    const { structured } = JSON.parse(ok(await project.orla(['call', ALL, '{"extra":"yes"}', '--json'])))
    expect(structured).toMatchObject({ from: 'the schema', maybe: { extra: 'yes' } })
  })

  it('Q118: forEach gives $.item and $.index, and outputs in order', async () => {
    const project = makeChains(
      chainFiles(ALL, [
        {
          step: 'each',
          tool: 'note',
          forEach: '$.input.files[*]',
          concurrency: 2,
          inputMapping: { file: '$.item', number: '$.index' },
        },
        { step: 'end', tool: 'note', inputMapping: { files: '$.each[*].file', first: '$.each[0].number' } },
      ]),
    )
    const files = ['a', 'b', 'c', 'd', 'e']
    expect(await callBothWays(project, ALL, { files })).toMatchObject({ files, first: 0 })
    const failed = await project.orla(['call', ALL, '{"files":[]}'])
    expect([failed.status, JSON.parse(failed.stdout).files]).toEqual([0, undefined])
  })

  it('Q118: retry makes further attempts', async () => {
    const project = makeChains(
      chainFiles(ALL, [{ step: 'shaky', tool: 'note', retry: 2, inputMapping: { failFirst: 2 } }]),
    )
    expect(await callBothWays(project, ALL)).toEqual({ failFirst: 2, times: 3 })
  })

  it('Q118: timeoutMs ends a step and names it', async () => {
    const project = makeChains(
      chainFiles(ALL, [{ step: 'slow', tool: 'note', timeoutMs: 400, inputMapping: { wait: true } }]),
    )
    const { status, stderr } = await project.orla(['call', ALL])
    expect([status, stderr]).toEqual([
      124,
      expect.stringMatching(
        /`acme\.flow\.all` failed at step `slow` \(`note`\): .*did not finish within 400/,
      ),
    ])
    expect(processesWith(`${project.dir}/tools/note/main`)).toEqual([])
  })

  it('Q118: parallel steps meet each other', async () => {
    const meet = (mine: string, other: string) =>
      `#!/bin/sh\n# Waits for the other\ntouch ${mine}\nfor i in $(seq 400); do [ -e ${other} ] && { printf met; exit 0; }; sleep 0.05; done\nexit 1\n`
    const project = makeChains({
      'tools/one.sh': meet('one', 'two'),
      'tools/two.sh': meet('two', 'one'),
      ...chainFiles(ALL, [
        { step: 'first', tool: 'one', parallel: true },
        { step: 'second', tool: 'two', parallel: true },
        { step: 'end', tool: 'note', inputMapping: { a: '$.first.stdout', b: '$.second.stdout' } },
      ]),
    })
    const client = await connectTo(project)
    expect((await client.call(ALL)).structuredContent).toMatchObject({ a: 'met', b: 'met' })
  })

  it('Q118: cache: what succeeded is not done again within its time, until the tool changes', async () => {
    const project = makeChains(
      chainFiles(ALL, [
        { step: 'kept', tool: 'note', cache: { ttl: 600_000 }, inputMapping: { text: '$.input.text' } },
      ]),
    )
    const client = await connectTo(project)
    const call = async (text: string) => (await client.call(ALL, { text })).structuredContent
    expect(await call('a')).toEqual({ text: 'a', times: 1 })
    expect(await call('a')).toEqual({ text: 'a', times: 1 })
    expect(await call('b')).toEqual({ text: 'b', times: 2 })
    project.write({
      'tools/note/tool.yaml': readFileSync(join(project.dir, 'tools/note/tool.yaml'), 'utf8').replace(
        '1.0.0',
        '1.0.1',
      ),
    })
    await eventually(
      async () => JSON.stringify(await call('a')) === '{"text":"a","times":3}',
      'it is done again',
    )
  })
})

describe('a chain that runs', { timeout: MANY_STARTS_MS }, () => {
  it('Q119: tells each step as progress, and cancelling ends the step that runs', async () => {
    const project = makeChains(
      chainFiles(ALL, [
        { step: 'first', tool: 'note' },
        { step: 'second', tool: 'note', inputMapping: { wait: '$.input.wait' } },
        { step: 'third', tool: 'note' },
      ]),
    )
    const client = new Client({ name: 'story', version: '1.0.0' })
    onTestFinished(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL((await project.serve()).url)))
    const heard: unknown[] = []
    const onprogress = (progress: unknown) => heard.push(progress)
    await client.callTool({ name: ALL, arguments: {} }, { onprogress })
    expect(heard).toMatchObject([
      { progress: 1, total: 3, message: 'first' },
      { progress: 2, total: 3, message: 'second' },
      { progress: 3, total: 3, message: 'third' },
    ])
    const stop = new AbortController()
    const running = client.callTool({ name: ALL, arguments: { wait: true } }, { signal: stop.signal })
    await eventually(() => noted(project).at(-1)?.wait === true, 'the second step runs')
    stop.abort()
    await expect(running).rejects.toThrow()
    await eventually(() => processesWith(`${project.dir}/tools/note/main`).length === 0, 'it is ended')
    expect(noted(project)).toHaveLength(5)
  })

  it('Q119: a failing step ends it; the result names the step, its tool and its error', async () => {
    const project = makeChains(
      chainFiles(ALL, [
        { step: 'good', tool: 'note' },
        { step: 'bad', tool: 'note', inputMapping: { fail: true } },
        { step: 'never', tool: 'note' },
      ]),
    )
    const { status, stderr } = await project.orla(['call', ALL])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/`acme\.flow\.all` failed at step `bad` \(`note`\): `note` exited with status 3/),
    ])
    const answer = await (await connectTo(project)).call(ALL)
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer.content)).toMatch(/failed at step `bad`.*it went wrong/)
    expect(noted(project)).toHaveLength(4)
  })

  it('Q122: show tells what would make it faster, with what its tools took here', async () => {
    const project = makeChains(
      chainFiles('acme.flow.side', [
        { step: 'a', tool: 'note' },
        { step: 'b', tool: 'note', inputMapping: { x: '$.a.text' } },
        { step: 'c', tool: 'note', inputMapping: { x: '$.a.text' } },
      ]),
    )
    const show = async () => ok(await project.orla(['chain', 'show', 'acme.flow.side']))
    expect(await show()).toMatch(/`parallel: true` at step b makes it faster; it uses nothing/)
    ok(await project.orla(['call', 'acme.flow.side']))
    expect(await show()).toMatch(/makes it faster: about \d+ ms instead of \d+;/)
  })

  it('Q120: validation refuses an empty chain, outputs that come later, and versions in a step, each at its place', async () => {
    const project = makeChains({
      ...chainFiles('acme.bad.empty', []),
      ...chainFiles('acme.bad.later', [
        { step: 'a', tool: 'note', inputMapping: { x: '$.b.text' } },
        { step: 'b', tool: 'note@1.0.0' },
      ]),
    })
    const problems = async (name: string) => {
      const { status, stdout } = await project.orla(['validate', `tools/${name}`, '--json'])
      expect(status).toBe(1)
      return JSON.parse(stdout).problems
    }
    expect(await problems('acme.bad.empty')).toMatchObject([
      { pointer: '/chain', message: expect.stringMatching(/at least one step/) },
    ])
    expect(await problems('acme.bad.later')).toMatchObject([
      { pointer: '/chain/1/tool', hint: expect.stringMatching(/`versions` of orla\.yaml/) },
      { pointer: '/chain/0/inputMapping/x', message: expect.stringMatching(/`b`, which comes only later/) },
    ])
  })
})

describe('a new chain', { timeout: MANY_STARTS_MS }, () => {
  const schema = (input: string, output: string) =>
    `mcp:\n  input_schema: {type: object, properties: {${input}: {type: string}, size: {type: integer}}, required: [${input}]}\n  output_schema: {type: object, properties: {${output}: {type: string}}}\n`
  const tool = (name: string, input: string, output: string) => ({
    [`tools/${name}/tool.yaml`]: `name: ${name}\nversion: 1.0.0\ndescription: Does ${name}\nentrypoint: main\n${schema(input, output)}`,
    [`tools/${name}/main`]: `#!/usr/bin/env node\nconst given = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))\nconsole.log(JSON.stringify({ ${output}: '${name} of ' + given.${input} }))\n`,
  })

  it('Q118: takes what an earlier tool gives, validates, packs, serves and answers', async () => {
    const project = makeChains({ ...tool('read', 'path', 'text'), ...tool('clean', 'text', 'result') })
    ok(await project.orla(['new', 'acme.flow.tidy', '--mcpkg', '--chain', 'read,clean']))
    expect(ok(await project.orla(['validate', 'acme.flow.tidy']))).toMatch(/is a valid package/)
    ok(await project.orla(['pack', 'acme.flow.tidy']))
    ok(await project.orla(['install', 'acme.flow.tidy-0.1.0.mcpkg', '--yes']))
    const answer = ok(await project.orla(['call', 'acme.flow.tidy', '{"path":"a.txt"}']))
    expect(JSON.parse(answer)).toEqual({ result: 'clean of read of a.txt' })
    expect(ok(await project.orla(['chain', 'show', 'acme.flow.tidy']))).toMatch(/text +\$\.read\.text/)
  })

  it('Q118: refuses what cannot become one, and leaves nothing behind', async () => {
    const project = makeChains({})
    for (const [args, status, words] of [
      [
        ['new', 'acme.flow.x', '--mcpkg', '--chain', 'note,noet'],
        4,
        /there is no tool `noet`.*\n.*did you mean `note`/,
      ],
      [['new', 'acme.flow.x', '--chain', 'note'], 2, /add --mcpkg/],
      [
        ['new', 'acme.flow.x', '--mcpkg', '--chain', 'note', '--lang', 'sh'],
        2,
        /leave out --capsule, --http and --lang/,
      ],
      [['new', 'flow', '--mcpkg', '--chain', 'note'], 2, /two or more parts/],
    ] as const) {
      const finished = await project.orla(args)
      expect([finished.status, finished.stderr]).toEqual([status, expect.stringMatching(words)])
    }
    expect(existsSync(join(project.dir, 'acme.flow.x'))).toBe(false)
  })
})
