import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { writeFiles } from './files.ts'
import { fixture, localPackage, serveHttp } from './mcpkg-kit.ts'
import { eventually, makeProject, NODE, ORLA, type Project } from './project.ts'

const GREET = {
  'tool.yaml': [
    'name: greet',
    'version: 1.0.0',
    'description: Greets someone.',
    'entrypoint: bin/greet',
    'mcp:',
    '  input_schema: {type: object, properties: {name: {type: string}}, required: [name]}',
    '  output_schema: {type: object, properties: {greeting: {type: string}}, required: [greeting]}',
    '',
  ].join('\n'),
  'bin/greet': '#!/bin/sh\nprintf \'{"greeting":"Hello, %s!","from":"%s"}\' "$2" "$(pwd)"\n',
  'tests/ada.test.json': test('ada', { expected: { greeting: 'Hello, Ada!' } }),
}

function test(name: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ name, input: { name: 'Ada' }, ...more })
}

/** A project with the package in `tools/greet`, as someone places it by hand. */
function greeting(more: Readonly<Record<string, string>> = {}): Project {
  const project = makeProject({ 'orla.yaml': '' })
  writeFiles(join(project.dir, 'tools/greet'), { ...GREET, ...more })
  return project
}

describe('orla test', () => {
  it('Q85, Q111: says what passed and shows what differs', async () => {
    const project = greeting({
      'tests/bob.test.json': test('bob', {
        expected: { greeting: 'Hello, Bob!' },
        assertions: [{ path: '$.from', exists: false }],
      }),
    })
    const result = await project.orla(['test', 'greet'])
    expect(result.status).toBe(1)
    expect(result.stdout).toMatch(/^greet\n✓ ada \d+ ms\n✗ bob \d+ ms\n/)
    expect(result.stdout).toContain('    $.greeting: expected "Hello, Bob!", found "Hello, Ada!"\n')
    expect(result.stdout).toContain('    -   "greeting": "Hello, Bob!"\n    +   "greeting": "Hello, Ada!"\n')
    expect(result.stdout).toMatch(/\n1 passed, 1 failed\n$/)
    const second = spawnSync(NODE, [join(ORLA, '../mcp.cjs'), 'test', 'greet'], {
      cwd: project.dir,
      env: project.env,
    })
    expect(second.status).toBe(1)
    const only = await project.orla(['test', 'greet', '--filter', 'ADA'])
    expect([only.status, only.stdout]).toEqual([0, expect.stringContaining('1 passed, 0 failed')])
  })

  it('Q85: takes a name, a folder, an archive, one test, or everything', async () => {
    const project = greeting()
    const archive = join(project.dir, 'greet.tar.gz')
    spawnSync('tar', ['czf', archive, '-C', join(project.dir, 'tools'), 'greet'])
    const file = 'tools/greet/tests/ada.test.json'
    for (const what of ['greet', 'tools/greet', './greet.tar.gz', file, '--all']) {
      const { status, stdout } = await project.orla(['test', what, '--json', '--yes'])
      const { tests, ...rest } = JSON.parse(stdout)
      expect([what, status, rest]).toEqual([
        what,
        0,
        { passed: 1, failed: 0, skipped: 0, regressions: [], ms: expect.any(Number) },
      ])
      expect(tests).toEqual([
        {
          tool: 'greet',
          name: 'ada',
          file: 'tests/ada.test.json',
          status: 'passed',
          ms: expect.any(Number),
          runs: 1,
          failed_runs: 0,
          failures: [],
        },
      ])
    }
    const here = await project.orla(['test'], { cwd: join(project.dir, 'tools/greet') })
    expect(here.status).toBe(0)
  })

  it('has status 4 where there is nothing, and says where there are no tests', async () => {
    const project = greeting()
    for (const words of [['gret'], ['--all', '--filter', 'nothing'], ['tests/none.test.json']]) {
      expect((await project.orla(['test', ...words])).status).toBe(4)
    }
    expect((await project.orla(['test', 'gret'])).stderr).toContain('did you mean `greet`?')
    const empty = makeProject({ 'orla.yaml': '' })
    expect((await empty.orla(['test', '--all'])).status).toBe(4)
    const { 'tests/ada.test.json': _test, ...untested } = GREET
    writeFiles(join(empty.dir, 'tools/greet'), untested)
    expect(await empty.orla(['test', 'greet'])).toMatchObject({ status: 0, stdout: 'greet has no tests\n' })
    expect(JSON.parse((await empty.orla(['test', 'greet', '--json'])).stdout)).toMatchObject({ tests: [] })
  })

  it('takes a version that does not serve, and tells what it could not test', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const old = { ...GREET, 'bin/greet': '#!/bin/sh\necho \'{"greeting":"Old"}\'\n' }
    writeFiles(join(project.dir, 'tools/greet/1.0.0'), old)
    const next = { ...GREET, 'tool.yaml': GREET['tool.yaml'].replace('1.0.0', '1.1.0') }
    writeFiles(join(project.dir, 'tools/greet/1.1.0'), next)
    writeFiles(join(project.dir, 'tools/broken/1.0.0'), { 'tool.yaml': 'name: broken\n' })
    expect((await project.orla(['test', 'greet'])).status).toBe(0)
    expect((await project.orla(['test', 'greet@v1.0.0'])).status).toBe(1)
    expect((await project.orla(['test', 'greet@v2.0.0'])).status).toBe(4)
    const all = await project.orla(['test', '--all'])
    expect([all.status, all.stderr]).toEqual([0, expect.stringContaining('tools/broken/1.0.0/tool.yaml')])
  })

  it('Q111: reports to files beside the terminal', async () => {
    const project = greeting()
    const files = ['junit:report.xml', 'tap:report.tap', 'json:report.json']
    const reporters = ['terminal', ...files].map((word) => `--reporter=${word}`)
    const { status, stdout } = await project.orla(['test', 'greet', '--repeat', '2', ...reporters])
    expect([status, stdout]).toEqual([0, expect.stringContaining('(2 runs)')])
    const report = (name: string) => readFileSync(join(project.dir, name), 'utf8')
    expect(report('report.xml')).toContain('<testcase classname="greet" name="ada"')
    expect(report('report.tap')).toMatch(/^TAP version 14\n1\.\.1\nok 1 - greet: ada\n/)
    expect(JSON.parse(report('report.json')).tests[0].runs).toBe(2)
    for (const words of [
      ['--reporter', 'xml'],
      ['--reporter', 'tap', '--json'],
      ['--repeat', '0'],
      ['--jobs', 'x'],
    ]) {
      expect((await project.orla(['test', 'greet', ...words])).status).toBe(2)
    }
  })

  it('watches, and runs again when a file changes', async () => {
    const project = greeting()
    const child = spawn(NODE, [ORLA, 'test', 'tools/greet', '--watch'], {
      cwd: project.dir,
      env: project.env,
      stdio: 'pipe',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let shown = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        shown += chunk
      })
    }
    const runs = (count: number) =>
      eventually(() => shown.split('Waiting for changes').length > count, `run ${count}:\n${shown}`, 25_000)
    await runs(1)
    expect(shown).toContain('1 passed, 0 failed')
    writeFiles(join(project.dir, 'tools/greet'), {
      'tests/ada.test.json': test('ada', { expected: { greeting: 'Bye' } }),
    })
    await runs(2)
    expect(shown).toContain('0 passed, 1 failed')
    child.kill('SIGINT')
    expect((await once(child, 'exit'))[0]).toBe(1)
  })

  it('Ctrl-C ends what runs', async () => {
    const project = greeting({ 'bin/greet': '#!/bin/sh\necho started > started\nsleep 60\n' })
    const child = spawn(NODE, [ORLA, 'test', 'greet'], { cwd: project.dir, env: project.env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const started = join(project.dir, 'tools/greet/started')
    await eventually(() => existsSync(started), 'the tool runs')
    child.kill('SIGINT')
    expect((await once(child, 'exit'))[0]).toBe(130)
  })
})

describe('the examples of MCPKG', () => {
  it('Q85, Q86, Q108: echo passes its test against a server, as a folder, a file and by its name', async () => {
    const { url, requests } = await serveHttp(({ body }) => ({ body }))
    const endpoint = { type: 'http', method: 'POST', url: `${url}/mcp/echo` }
    const echo = fixture('echo', (manifest) => ({ ...manifest, endpoint }))
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['pack', echo, '-o', 'echo.mcpkg'])
    await project.orla(['install', 'echo.mcpkg', '--yes'])
    expect(requests).toEqual([])
    for (const what of [echo, './echo.mcpkg', 'demo.echo', '--all']) {
      const { status, stdout } = await project.orla(['test', what, '--json', '--yes'])
      expect([what, status, JSON.parse(stdout).tests]).toEqual([
        what,
        0,
        [expect.objectContaining({ tool: 'demo.echo', name: 'simple_echo', status: 'passed' })],
      ])
    }
    expect(requests.map(({ body }) => JSON.parse(body))).toEqual(Array(4).fill({ message: 'hello' }))
  })

  it('Q108, Q115: the PDF reader that runs here passes its test', async () => {
    const { status, stdout } = await makeProject().orla(['test', fixture('pdf')])
    expect([status, stdout]).toEqual([0, expect.stringContaining('✓ reads_a_name')])
  })
})

describe('tests before an install', () => {
  const BAD = { 'tests/bad.test.json': test('bad', { expected: { greeting: 'Bye' } }) }

  async function install(policy: string, files: Readonly<Record<string, string>>): Promise<number | null> {
    const project = makeProject({ 'orla.yaml': `test_on_install: ${policy}\n` })
    writeFiles(join(project.dir, 'greet'), files)
    return (await project.orla(['install', '--local', 'greet', '--yes'])).status
  }

  it('Q105: decide by default, and not when test_on_install is off', async () => {
    expect(await install('auto', GREET)).toBe(0)
    expect(await install('auto', { ...GREET, ...BAD })).toBe(1)
    expect(await install('off', { ...GREET, ...BAD })).toBe(0)
  })

  it('Q105: decide about an .mcpkg that runs here', async () => {
    const tested = localPackage('acme.text.say', '1.0.0', { tests: ['tests/said.test.json'] })
    writeFiles(tested, { 'tests/said.test.json': '{"name":"said","expected":{"said":"2.0.0"}}' })
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['pack', tested, '-o', 'say.mcpkg'])
    const refused = await project.orla(['install', 'say.mcpkg', '--yes'])
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining('said: $.said: expected "2.0.0", found "1.0.0"'),
    ])
    expect(existsSync(join(project.dir, '.mcp/tools/acme.text.say'))).toBe(false)
    project.write({ 'orla.yaml': 'test_on_install: off\n' })
    expect((await project.orla(['install', 'say.mcpkg', '--yes'])).status).toBe(0)
  })

  it('Q105: must be there when they are required', async () => {
    const { 'tests/ada.test.json': _test, ...untested } = GREET
    expect(await install('require', GREET)).toBe(0)
    expect(await install('require', untested)).toBe(1)
  })
})

describe('what is installed', () => {
  it('Q111: is not what its tests run on', async () => {
    const dir = localPackage('acme.text.sly', '1.0.0', { tests: ['tests/a.test.json'] })
    writeFiles(dir, {
      'run.mjs':
        "import { writeFileSync } from 'node:fs'\nwriteFileSync('run.mjs', 'spoilt')\nconsole.log('{}')\n",
      'tests/a.test.json': '{"name":"a","input":{}}',
    })
    const project = makeProject({ 'orla.yaml': '' })
    const installed = await project.orla(['install', '--local', dir, '--yes'])
    expect([installed.status, installed.stderr]).toEqual([0, expect.any(String)])
    const program = join(project.dir, '.mcp/tools/acme.text.sly/run.mjs')
    for (const what of [['acme.text.sly'], ['--all'], ['acme.text.sly@1.0.0']]) {
      const result = await project.orla(['test', ...what])
      expect([result.status, result.stdout]).toEqual([0, expect.stringContaining('1 passed')])
      expect(readFileSync(program, 'utf8')).toContain('writeFileSync')
    }
    // What someone works on is theirs, and runs where it is.
    expect((await project.orla(['test', dir])).status).toBe(0)
    expect(readFileSync(join(dir, 'run.mjs'), 'utf8')).toBe('spoilt')
  })
})
