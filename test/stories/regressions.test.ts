import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chainFiles } from './chain-kit.ts'
import { writeFiles } from './files.ts'
import { eventually, makeProject, NODE, ORLA, type Project, processesWith } from './project.ts'
import { makeRegistry, makeRepository, registriesYaml } from './repositories.ts'
import { openTerminal } from './terminal.ts'

interface Version {
  readonly version: string
  readonly description?: string
  readonly permissions?: string
  readonly input?: string
  readonly output?: string
  /** What it prints. */
  readonly prints: string
  readonly sleeps?: string
}

const INPUT = '{type: object, properties: {name: {type: string}}, required: [name]}'
const OUTPUT = '{type: object, properties: {greeting: {type: string}}, required: [greeting]}'
const ADA = { name: 'ada', input: { name: 'Ada' }, expected: { greeting: 'Hello' } }
const FROM = { name: 'from', input: { name: 'Ada' }, assertions: [{ path: '$.from', exists: true }] }

function greet(one: Version): Record<string, string> {
  return {
    'tool.yaml': [
      'name: greet',
      `version: ${one.version}`,
      `description: ${one.description ?? 'Greets someone.'}`,
      'entrypoint: bin/greet',
      `permissions: ${one.permissions ?? '[]'}`,
      'mcp:',
      `  input_schema: ${one.input ?? INPUT}`,
      `  output_schema: ${one.output ?? OUTPUT}`,
      '',
    ].join('\n'),
    'bin/greet': `#!/bin/sh\n${one.sleeps === undefined ? '' : `sleep ${one.sleeps}\n`}printf '%s' '${one.prints}'\n`,
    'tests/ada.test.json': JSON.stringify(ADA),
  }
}

const OLD = greet({ version: '0.1.0', prints: '{"greeting":"Hello","from":"here"}' })

/** A project with one package placed by hand. */
function placed(): Project & { edit(one: Omit<Version, 'version'>): void } {
  const project = makeProject({ 'orla.yaml': '' })
  const edit = (files: Record<string, string>) => writeFiles(join(project.dir, 'tools/greet'), files)
  edit(OLD)
  return { ...project, edit: (one) => edit(greet({ version: '0.1.0', ...one })) }
}

/** A project that has 0.1.0 from a registry, which has a newer one, too. */
async function outdated(next: Version, more: Record<string, string> = {}): Promise<Project> {
  const repository = makeRepository(OLD)
  repository.write({ 'tests/from.test.json': JSON.stringify(FROM) })
  repository.commit('v0.1.0')
  repository.git('rm', '-q', 'tests/from.test.json')
  repository.write({ ...greet(next), ...more })
  repository.commit(`v${next.version}`)
  const project = makeProject({ 'orla.yaml': registriesYaml(['own', makeRegistry({ greet: repository })]) })
  expect((await project.orla(['install', 'greet@v0.1.0', '--yes'])).status).toBe(0)
  return project
}

async function answer(project: Project): Promise<unknown> {
  const { stdout } = await project.orla(['call', 'greet', '--arg', 'name=Ada'])
  return JSON.parse(stdout)
}

describe('a baseline', () => {
  it('Q123, Q127: remembers how it was, and later runs tell what is worse', async () => {
    const project = placed()
    const stored = await project.orla(['test', '--all', '--baseline', '--repeat', '7'])
    expect([stored.status, stored.stdout]).toEqual([
      0,
      expect.stringContaining('stored as the baseline: .orla/baseline.json\n1 passed'),
    ])
    const file = join(project.dir, '.orla/baseline.json')
    const { tests } = JSON.parse(readFileSync(file, 'utf8'))
    expect(tests).toMatchObject([{ tool: 'greet', name: 'ada', version: '0.1.0', status: 'passed' }])
    expect(tests[0].latency.samples_ms).toHaveLength(6)
    expect(readdirSync(join(project.dir, '.orla'))).toEqual(['baseline.json'])
    const same = await project.orla(['test', 'greet'])
    expect([same.status, same.stdout]).toEqual([0, expect.not.stringContaining('worse than')])

    project.edit({ prints: '{"greeting":"Hello","count":1}' })
    const lost = await project.orla(['test', 'greet'])
    expect(lost.status).toBe(1)
    expect(lost.stdout).toContain(
      'worse than .orla/baseline.json\n✗ greet: ada (output)\n    $.from is gone; it was string\n',
    )
    const json = JSON.parse((await project.orla(['test', '--all', '--json'])).stdout)
    expect(json.regressions).toMatchObject([
      { tool: 'greet', name: 'ada', kind: 'shape', now: '{count: number, greeting: string}', fails: true },
    ])
    const reports = ['--reporter', 'tap', '--reporter', 'junit:report.xml']
    const tap = await project.orla(['test', 'greet', ...reports])
    expect(tap.stdout).toContain('not ok 2 - greet: ada (shape regression) $.from is gone; it was string')
    const xml = readFileSync(join(project.dir, 'report.xml'), 'utf8')
    expect(xml).toContain('<failure type="regression" message="$.from is gone; it was string">')
    expect(xml).toContain('tests="2" failures="1"')

    project.edit({ prints: '{"greeting":"Good day","from":"here"}' })
    const failing = JSON.parse((await project.orla(['test', 'greet', '--json'])).stdout)
    expect(failing.regressions).toMatchObject([{ kind: 'failing', before: 'passed', now: 'failed' }])
    expect((await project.orla(['test', 'greet', '--baseline'])).status).toBe(1)
    const accepted = JSON.parse((await project.orla(['test', 'greet', '--json'])).stdout)
    expect([accepted.failed, accepted.regressions]).toEqual([1, []])
  })

  it('Q127: tells a shift in time by many runs, as a warning unless asked', async () => {
    const project = placed()
    await project.orla(['test', 'greet', '--baseline', '--repeat', '12'])
    project.edit({ prints: '{"greeting":"Hello","from":"here"}', sleeps: '0.2' })
    const once = await project.orla(['test', 'greet'])
    expect([once.status, once.stdout]).toEqual([0, expect.stringContaining('not enough runs')])
    const often = await project.orla(['test', 'greet', '--repeat', '7'])
    expect(often.stdout).toMatch(
      /! greet: ada \(time\)\n {4}\d+\.\d times slower: .* \(11 and 6 runs, p [<=]/,
    )
    expect(often.status).toBe(0)
    const strict = await project.orla(['test', 'greet', '--repeat', '7', '--strict', '--json'])
    expect(strict.status).toBe(1)
    expect(JSON.parse(strict.stdout).regressions).toMatchObject([{ kind: 'latency', fails: true }])

    const file = join(project.dir, '.orla/baseline.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"host":"[0-9a-f]+"/, '"host":"elsewhere"'))
    const elsewhere = await project.orla(['test', 'greet', '--strict'])
    expect([elsewhere.status, elsewhere.stdout]).toEqual([0, expect.stringContaining('on another machine')])
  })

  it('stays what it was for packages that were not tested, and says when it is damaged', async () => {
    const project = placed()
    writeFiles(join(project.dir, 'tools/other'), {
      ...OLD,
      'tool.yaml': OLD['tool.yaml']?.replace('name: greet', 'name: other') ?? '',
    })
    const file = join(project.dir, '.orla/baseline.json')
    const names = () => JSON.parse(readFileSync(file, 'utf8')).tests.map((one: { tool: string }) => one.tool)
    await Promise.all(['greet', 'other'].map((name) => project.orla(['test', name, '--baseline'])))
    expect(names()).toEqual(['greet', 'other'])
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 200))
    for (const words of [['--all'], ['greet', '--baseline']]) {
      const broken = await project.orla(['test', ...words])
      expect([broken.status, broken.stderr]).toEqual([
        1,
        expect.stringContaining('orla test --all --baseline'),
      ])
    }
    expect((await project.orla(['test', '--all', '--baseline'])).status).toBe(0)
    expect(names()).toEqual(['greet', 'other'])
    expect((await project.orla(['test', '--watch', '--baseline'])).status).toBe(2)
  })

  it('is among Orla’s own files where there is no project', async () => {
    const project = makeProject()
    writeFiles(join(project.dir, 'greet'), OLD)
    expect((await project.orla(['test', './greet', '--baseline'])).status).toBe(0)
    expect(readdirSync(project.env.ORLA_HOME ?? '')).toContain('baseline.json')
    writeFiles(
      join(project.dir, 'greet'),
      greet({ version: '0.2.0', prints: '{"greeting":1}', output: '{}' }),
    )
    const { status, stdout } = await project.orla(['test', './greet'])
    expect([status, stdout]).toEqual([1, expect.stringContaining('passed with 0.1.0, fails with 0.2.0')])
  })
})

const WORSE: Version = {
  version: '0.2.0',
  description: 'Greets everyone.',
  permissions: '[network:example.com]',
  input: '{type: object, properties: {name: {type: string}, title: {type: string}}, required: [name]}',
  prints: '{"greeting":"Hello","count":1}',
}

describe('orla diff', () => {
  it('Q127: lays two versions beside each other, and installs nothing', async () => {
    const project = await outdated({ ...WORSE, sleeps: '0.15' })
    const { status, stdout } = await project.orla(['diff', 'greet', '--yes', '--repeat', '10'])
    expect(status).toBe(1)
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('greet 0.1.0 → 0.2.0')
    expect(stdout).toContain('description\n  - Greets someone.\n  + Greets everyone.\n')
    expect(stdout).toContain('permissions\n  + network:example.com\n')
    expect(stdout).toContain('input\n    $.title is new: string, optional\n')
    expect(stdout).toMatch(/tests +0\.1\.0 +0\.2\.0\n {4}ada +✓ [\d.]+ ms +✓ \d+ ms\n/)
    expect(stdout).toContain(
      '      output $.count is new: number\n  !   output $.from is gone; it was string\n',
    )
    expect(stdout).toMatch(/\n {6}[\d.]+ times slower: /)
    expect(stdout).toMatch(/ {4}from \(only before\) +✓ [\d.]+ ms +✗ \d+ ms\n {2}! +\$\.from/)
    expect(stdout).toMatch(/\n3 things break a caller \(marked !\)\.\n$/)
    expect(readdirSync(join(project.dir, 'tools/greet'))).toEqual(['0.1.0'])
    expect(await answer(project)).toEqual({ greeting: 'Hello', from: 'here' })
  })

  it('Q127: has the same for scripts, with keys that stay', async () => {
    const project = await outdated(WORSE)
    const { status, stdout } = await project.orla([
      'diff',
      'greet@v0.1.0',
      'greet@v0.2.0',
      '--yes',
      '--json',
      '--repeat',
      '2',
    ])
    const { tests, ...diff } = JSON.parse(stdout)
    expect(status).toBe(1)
    expect(diff).toMatchObject({
      name: 'greet',
      before: { version: '0.1.0' },
      now: { version: '0.2.0' },
      breaking: true,
      permissions: { added: ['network:example.com'], removed: [] },
      tools: {
        added: [],
        removed: [],
        changed: [{ name: 'greet', input: [{ path: '$.title', breaking: false }] }],
      },
      regressions: [
        { kind: 'shape', name: 'ada' },
        { kind: 'failing', name: 'from' },
        { kind: 'shape', name: 'from' },
      ],
    })
    expect(tests).toMatchObject([
      { name: 'ada', of: 'both', before: { status: 'passed' }, now: { status: 'passed' } },
      { name: 'from', of: 'before', now: { status: 'failed' } },
    ])
  })

  it('runs nothing of a stranger before what it may do is accepted', async () => {
    const trace = join(makeProject().dir, 'trace')
    const spy = { 'bin/greet': `#!/bin/sh\ntouch ${trace}\nprintf '{"greeting":"Hello"}'\n` }
    const project = await outdated(WORSE, spy)
    const { stdout, stderr } = await project.orla(['diff', 'greet'])
    expect(stderr).toContain('asks  network:example.com')
    expect(stdout).toContain('no tests were run: what it may do was not accepted; --yes accepts it')
    expect(readdirSync(join(trace, '..'))).toEqual([])
    const json = JSON.parse((await project.orla(['diff', 'greet', '--json', '--no-test'])).stdout)
    expect([json.tests, json.tests_not_run]).toEqual([null, 'nobody asked for them'])
  })

  it('takes folders and what serves, and says when there is nothing', async () => {
    const project = placed()
    writeFiles(
      join(project.dir, 'work'),
      greet({ version: '0.2.0', prints: '{"greeting":"Hello","from":"x"}' }),
    )
    for (const words of [['./tools/greet', './work'], ['./work'], ['greet', './work']]) {
      const { status, stdout } = await project.orla(['diff', ...words, '--repeat', '1'])
      expect([words, status, stdout]).toEqual([words, 0, expect.stringMatching(/^greet 0\.1\.0 → 0\.2\.0\n/)])
      expect(stdout).toMatch(/\nNothing breaks a caller, as far as this can tell\.\n$/)
    }
    expect((await project.orla(['diff', './none', './work'])).status).toBe(4)
    expect((await project.orla(['diff'])).status).toBe(2)
    expect((await project.orla(['diff', './work', './work', './work'])).status).toBe(2)
  })
})

/** A package whose MCP server offers these tools. */
function server(version: string, tools: readonly string[], source: string): Record<string, string> {
  const names = `let tools = ${JSON.stringify(tools)}.map(toolOf)`
  return {
    'tool.yaml': `name: box\nversion: ${version}\ndescription: A server\nentrypoint: main.mjs\nruntime: {mode: capsule, handshake: mcp}\n`,
    'main.mjs': `#!/usr/bin/env node\n${source.replace(/let tools = .*/, names)}`,
    'tests/add.test.json': JSON.stringify({ name: 'add', tool: 'add', input: { a: 1, b: 2 }, expected: 3 }),
  }
}

describe('orla diff, further', () => {
  it('Q118: of chains, what their tools may do and what their steps are given', async () => {
    const hello = { step: 'hello', tool: 'greet', inputMapping: { name: '$.input.name' } }
    const next = [
      { ...hello, inputMapping: { name: 'all' }, retry: 2 },
      { step: 'look', tool: 'fs' },
    ]
    const project = makeProject({
      'orla.yaml': '',
      'tools/fs/tool.yaml':
        'name: fs\nversion: 1.0.0\ndescription: Files\nentrypoint: main\npermissions: [network:a.example]\n',
      'tools/fs/main': '#!/bin/sh\n',
      ...chainFiles('acme.flow.greet', [hello]),
      'next/manifest.json': Object.values(chainFiles('acme.flow.greet', next, { version: '1.1.0' })).join(''),
    })
    const { stdout } = await project.orla(['diff', './tools/acme.flow.greet', './next', '--no-test'])
    expect(stdout).toContain('permissions\n  + network:a.example\n')
    expect(stdout).toContain('chain: hello: greet → hello: greet, look: fs\n')
    expect(stdout).toContain('step hello: name $.input.name → name "all", retry 2\n')
  })

  it('fetches both versions where neither is installed, also from what is cached', async () => {
    const project = await outdated({ ...WORSE, permissions: '[]' })
    await project.orla(['uninstall', 'greet'])
    const both = ['diff', 'greet@v0.1.0', 'greet@0.2.0', '--repeat', '1']
    for (const words of [both, [...both, '--offline']]) {
      const { status, stdout } = await project.orla(words)
      expect([status, stdout]).toEqual([1, expect.stringMatching(/^greet 0\.1\.0 → 0\.2\.0\n/)])
    }
    const alone = await project.orla(['diff', 'greet'])
    expect([alone.status, alone.stderr]).toEqual([4, expect.stringContaining('greet is not installed')])
    expect((await project.orla(['diff', 'greet@v0.1.0', 'greet@v9.0.0'])).status).toBe(4)
    expect(existsSync(join(project.dir, 'tools/greet'))).toBe(false)
  })

  it('compares what MCP servers offer', async () => {
    const source = readFileSync(new URL('../fixtures/capsules/mcp-server.mjs', import.meta.url), 'utf8')
    const project = makeProject()
    writeFiles(join(project.dir, 'a'), server('1.0.0', ['add', 'grow'], source))
    writeFiles(join(project.dir, 'b'), server('2.0.0', ['add', 'heard'], source))
    const { status, stdout } = await project.orla(['diff', './a', './b', '--repeat', '1'])
    expect([status, stdout]).toEqual([1, expect.stringContaining('tools\n  ! - grow\n  + heard\n')])
    expect(stdout).toMatch(/add +✓ [\d.]+ ms +✓ [\d.]+ ms\n1 thing breaks a caller/)
  })

  it('fits a terminal of 80 columns, and asks there before anything runs', async () => {
    const long = { ...WORSE, description: 'Greets everyone, one after the other, '.repeat(5).trim() }
    const project = await outdated(long)
    const command = ['diff', 'greet', '--repeat', '1']
    const terminal = openTerminal(project, command)
    await terminal.shows('Run its tests here?')
    terminal.type('y\n')
    expect(await terminal.ended).toBe(1)
    const [, shown = ''] = terminal.screen().split('greet 0.1.0 → 0.2.0')
    const paths = /^ {2}(?:before|now) /
    const wide = shown.split(/\r?\n/).filter((line) => line.length > 80 && !paths.test(line))
    expect(wide).toEqual([])
    expect(shown).toContain('3 things break a caller')
  })

  it('Ctrl-C ends what runs, and leaves nothing behind', async () => {
    // Inside a sandbox a process has another number: it is found by its words.
    const words = `sleep 600.${process.pid}`
    const slow = { 'bin/greet': `#!/bin/sh\nexec ${words}\n` }
    const project = await outdated({ ...WORSE, permissions: '[]' }, slow)
    const home = project.env.ORLA_HOME ?? ''
    const child = spawn(NODE, [ORLA, 'diff', 'greet'], { cwd: project.dir, env: project.env, stdio: 'pipe' })
    const ended = once(child, 'close')
    await eventually(() => processesWith(words).length > 0, 'it runs')
    child.kill('SIGINT')
    expect(await ended).toEqual([130, null])
    expect(processesWith(words)).toEqual([])
    expect(readdirSync(join(home, 'cache')).filter((name) => name.startsWith('.orla-staging'))).toEqual([])
  })
})

describe('orla update', () => {
  it('Q127: shows what changes before it switches; --safe refuses what breaks, and the old one answers', async () => {
    const project = await outdated(WORSE)
    const safe = await project.orla(['update', '--safe', '--yes'])
    expect([safe.status, safe.stderr]).toEqual([
      3,
      expect.stringContaining('greet 0.1.0 → 0.2.0\npermissions\n'),
    ])
    expect(safe.stderr).toContain('error: greet 0.2.0 breaks what works with 0.1.0:\n')
    expect(safe.stderr).toContain('the test from: passed with 0.1.0, fails with 0.2.0\n')
    expect(readdirSync(join(project.dir, 'tools/greet'))).toEqual(['0.1.0'])
    expect(await answer(project)).toEqual({ greeting: 'Hello', from: 'here' })
    expect((await project.orla(['update', '--safe', '--no-test'])).status).toBe(2)

    const plan = JSON.parse((await project.orla(['update', '--dry-run', '--json'])).stdout)
    expect(plan.planned).toMatchObject([{ name: 'greet', diff: { breaking: false, tests: null } }])
    const json = JSON.parse((await project.orla(['update', '--yes', '--json'])).stdout)
    expect(json.planned).toMatchObject([
      { diff: { breaking: true, regressions: [{ kind: 'shape' }, {}, {}] } },
    ])
    expect(await answer(project)).toEqual({ greeting: 'Hello', count: 1 })
  })

  it('--safe refuses a schema that breaks callers without running anything, and lets the rest pass', async () => {
    const input =
      '{type: object, properties: {name: {type: string}, title: {type: string}}, required: [name, title]}'
    const project = await outdated({ version: '0.2.0', prints: '{"greeting":"Hello","from":"x"}', input })
    const safe = await project.orla(['update', '--safe'])
    expect([safe.status, safe.stderr]).toEqual([
      3,
      expect.stringContaining('input $.title is new: string, required'),
    ])
    expect(safe.stderr).not.toContain('tests  ')

    const good = await outdated({ version: '0.2.0', prints: '{"greeting":"Hello","from":"x"}' })
    const updated = await good.orla(['update', '--safe'])
    expect([updated.status, updated.stdout]).toEqual([0, 'greet 0.1.0 → 0.2.0 installed\n'])
    expect(updated.stderr).toContain('nothing changes for a caller\n  2 tests: 0.2.0 does what 0.1.0 did\n')
    expect(await answer(good)).toEqual({ greeting: 'Hello', from: 'x' })
  })

  it('--safe refuses what fails its own tests', async () => {
    const own = JSON.stringify({ name: 'own', input: { name: 'Ada' }, expected: { greeting: 'No' } })
    const next = { version: '0.2.0', prints: '{"greeting":"Hello","from":"x"}' }
    const project = await outdated(next, { 'tests/own.test.json': own })
    const safe = await project.orla(['update', '--safe'])
    expect([safe.status, safe.stderr]).toEqual([3, expect.stringContaining('fails its own test own: ')])
    expect(await answer(project)).toEqual({ greeting: 'Hello', from: 'here' })
  })
})
