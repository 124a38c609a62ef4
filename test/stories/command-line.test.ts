import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeProject, NODE, ORLA } from './project.ts'

const TOOLS = {
  'tools/echo.sh': '#!/bin/sh\n# @param n {integer}\n# @param [flag] {boolean}\necho "$@"\n',
  'tools/fail.sh': '#!/bin/sh\necho out; echo err >&2; exit 9\n',
  'tools/slow.sh': '#!/bin/sh\nsleep 60\n',
  'tools/nowhere.sh': '#!/no/such/thing\n',
}

it('commands that share a first word are explained together', async () => {
  const project = makeProject()
  for (const words of [
    ['help', 'capsule'],
    ['capsule', '--help'],
  ]) {
    const { status, stdout } = await project.orla(words)
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/orla capsule list .*\n.*orla capsule status/),
    ])
  }
  expect(await project.orla(['capsule'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('`orla capsule list`'),
  })
})

describe('orla call', () => {
  it('Q15: prints what the tool printed and exits with a status that tells failures apart', async () => {
    const project = makeProject(TOOLS)
    expect(await project.orla(['call', 'echo', '{"n":1}'])).toEqual({
      status: 0,
      stdout: '--n 1\n',
      stderr: '',
    })
    expect(await project.orla(['call', 'echo', '--arg', 'n=2', '-a', 'flag:=true'])).toMatchObject({
      stdout: '--n 2 --flag true\n',
    })
    expect((await project.orla(['call', 'echo', '-'], { stdin: '{"n":3}' })).stdout).toBe('--n 3\n')
    const failed = await project.orla(['call', 'fail'])
    expect(failed).toMatchObject({ status: 1, stdout: 'out\n' })
    expect(failed.stderr).toMatch(/^err\n/)
    expect((await project.orla(['call', 'slow', '--timeout', '300ms'])).status).toBe(124)
    expect((await project.orla(['call', 'nowhere'])).status).toBe(126)
    const absent = await project.orla(['call', 'ecko'])
    expect([absent.status, absent.stderr]).toEqual([4, expect.stringContaining('did you mean `echo`?')])
    expect((await project.orla(['call', 'echo', '{"n":"x"}'])).status).toBe(2)
    expect((await project.orla(['call', 'echo', 'nonsense'])).stderr).toContain('not JSON')
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
    for (const [words, stdin] of [
      [['-'], `{"a":${deep}}`],
      [['--arg', `a:=${deep}`], ''],
    ] as const) {
      const { status, stderr } = await project.orla(['call', 'echo', ...words], { stdin })
      expect([status, stderr]).toEqual([2, 'error: the arguments nest deeper than 64 levels\n'])
    }
    expect((await project.orla(['call'])).status).toBe(2)
  })

  it('has a stable JSON form', async () => {
    const project = makeProject(TOOLS)
    const { stdout, status } = await project.orla(['call', 'fail', '--json'])
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      reason: 'exit',
      content: null,
      message: expect.any(String),
      stdout: 'out\n',
      stdout_encoding: 'utf8',
      stderr: 'err\n',
      exit_code: 9,
      signal: null,
      structured: null,
      duration_ms: expect.any(Number),
    })
  })
})

describe('configuration', () => {
  it('Q21, Q23, Q24: flags, variables, orla.yaml upward, then defaults', async () => {
    const project = makeProject({
      'orla.yaml': 'port: 1111\ntimeout: 7\nlog_level: warn\ntools_dir: bin\n',
      'sub/deep/x': '',
    })
    const shown = async (args: string[], env: Record<string, string> = {}) => {
      const { stdout } = await project.orla(['config', '--json', ...args], {
        cwd: join(project.dir, 'sub/deep'),
        env,
      })
      const { settings } = JSON.parse(stdout) as {
        settings: { key: string; value: unknown; source: string }[]
      }
      return Object.fromEntries(settings.map(({ key, value, source }) => [key, [value, source]]))
    }
    const settings = await shown([], {
      ORLA_TIMEOUT: '9s',
      ORLA_LIMITS_CONCURRENCY: '3',
      ORLA_AUTH_TOKEN: 'secret',
    })
    expect(settings).toMatchObject({
      port: [1111, expect.stringMatching(/orla\.yaml$/)],
      timeout: [9, 'ORLA_TIMEOUT'],
      tools_dir: [join(project.dir, 'bin'), expect.stringMatching(/orla\.yaml$/)],
      log_format: ['json', 'default'],
      'limits.concurrency': [3, 'ORLA_LIMITS_CONCURRENCY'],
      'auth.token': ['(set)', 'ORLA_AUTH_TOKEN'],
    })
    project.write({ 'other.yaml': 'port: 2222\n' })
    expect((await shown(['--config', '../../other.yaml'])).port).toEqual([
      2222,
      join(project.dir, 'other.yaml'),
    ])
  })

  it('refuses what it does not know, with the nearest key and every problem', async () => {
    const project = makeProject({ 'orla.yaml': 'tols_dir: x\nport: many\n' })
    const { status, stderr } = await project.orla(['list'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/orla\.yaml:1:1: unknown key `tols_dir` \(did you mean `tools_dir`\?\)/)
    expect(stderr).toMatch(/orla\.yaml:2:7: `port` must be a whole number/)
    expect((await project.orla(['list', '--config', 'none.yaml'])).stderr).toContain('there is no file')
    project.write({ 'orla.yaml': '' })
    expect((await project.orla(['--port', 'x'])).stderr).toMatch(/--port must be a whole number/)
    expect((await project.orla(['list'], { env: { ORLA_PORT: 'x' } })).stderr).toMatch(/ORLA_PORT must be/)
  })
})

describe('orla doctor', () => {
  it('says what is missing and how to fix it, and fails only when serving is impossible', async () => {
    const project = makeProject({ ...TOOLS, 'tools/forgot.sh': 'x' })
    const fine = await project.orla(['doctor', '--port', '0'])
    expect(fine.status).toBe(0)
    expect(fine.stdout).toMatch(/! interpreter \/no\/such\/thing\s+not found; needed by nowhere/)
    expect(fine.stdout).toMatch(/✓ node/)
    const listing = JSON.parse((await project.orla(['doctor', '--json', '--port', '0'])).stdout)
    expect(listing).toMatchObject({
      ok: true,
      checks: expect.arrayContaining([{ name: 'port', state: 'ok', message: expect.any(String) }]),
    })

    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    onTestFinished(() => void other.close())
    const port = String((other.address() as { port: number }).port)
    const taken = await project.orla(['doctor', '--port', port])
    expect([taken.status, taken.stdout]).toEqual([
      1,
      expect.stringMatching(/✗ port.*used by another program/),
    ])
    const serving = await project.orla(['--port', port])
    expect(serving.status).toBe(1)
    expect(serving.stderr).toMatch(/--port 0/)

    project.write({ 'orla.yaml': 'prt: 1\n' })
    expect((await project.orla(['doctor'])).status).toBe(1)
  })

  it.skipIf(process.platform !== 'linux')('tells of a looker that is not there or of no use', async () => {
    const project = makeProject(TOOLS)
    const dist = join(project.dir, 'dist')
    const library = join(dist, 'looker.node')
    cpSync(dirname(ORLA), dist, { recursive: true })
    const doctor = async (env = {}) =>
      (await project.orla(['doctor', '--port', '0'], { program: join(dist, 'orla.cjs'), env })).stdout
    writeFileSync(library, 'of another kind')
    expect(await doctor()).toMatch(
      /! looker +\S+looker\.node: .+; files are looked at with Node.*\n +→ build/,
    )
    expect(await doctor({ ORLA_LOOKER: 'off' })).toMatch(/✓ looker +none: files are looked at with Node/)
    rmSync(library)
    expect(await doctor()).toMatch(/✓ looker +none: files are looked at with Node/)
  })
})

describe('help, version, completion', () => {
  it('explain themselves', async () => {
    const project = makeProject()
    for (const args of [['help'], ['--help']])
      expect((await project.orla(args)).stdout).toContain('Commands:')
    for (const args of [
      ['help', 'call'],
      ['call', '--help'],
      ['call', '-h'],
    ]) {
      expect((await project.orla(args)).stdout).toContain('Usage:\n  orla call NAME [JSON]')
    }
    expect((await project.orla(['--version'])).stdout).toMatch(/^orla \d+\.\d+\.\d+\n$/)
    const unknown = await project.orla(['lst'])
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('did you mean `orla list`?'),
    ])
    expect((await project.orla(['help', 'exit-codes'])).stdout).toContain('124')
  })

  it('answers to its second names', () => {
    const bin = join(makeProject().dir, 'bin')
    mkdirSync(bin)
    symlinkSync(join(ORLA, '../mcp.cjs'), join(bin, 'mcp'))
    expect(execFileSync(NODE, [join(bin, 'mcp'), '--version'], { encoding: 'utf8' })).toMatch(/^mcp \d/)
    expect(execFileSync(NODE, [join(ORLA, '../mcpkg.cjs'), '--version'], { encoding: 'utf8' })).toMatch(
      /^mcpkg \d/,
    )
  })

  it('completes commands, options, choices and tool names', async () => {
    const project = makeProject(TOOLS)
    const complete = async (...words: string[]) =>
      (await project.orla(['__complete', '--', ...words])).stdout.trim().split('\n')
    expect(await complete('l')).toEqual(['list'])
    expect(await complete('call', '')).toEqual(['echo', 'fail', 'nowhere', 'slow'])
    expect(await complete('serve', '--log-f')).toEqual(['--log-format'])
    expect(await complete('serve', '--log-format', '')).toEqual(['json', 'pretty'])
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await project.orla(['completion', shell])).stdout).toContain('orla __complete')
  })

  it('completes in a real bash, sourced twice', async () => {
    const project = makeProject(TOOLS)
    const { stdout } = await project.orla(['completion', 'bash'])
    project.write({ 'bin/orla': `#!/bin/sh\nexec ${NODE} ${ORLA} "$@"\n`, 'complete.bash': stdout })
    const script =
      'source complete.bash; source complete.bash; COMP_WORDS=(orla call e); COMP_CWORD=2; _orla_complete; echo "${COMPREPLY[@]}"'
    const env = { ...project.env, PATH: `${join(project.dir, 'bin')}:${project.env.PATH}` }
    expect(execFileSync('bash', ['-c', script], { cwd: project.dir, env, encoding: 'utf8' })).toBe('echo\n')
  })

  it('does not complain when the reader of a pipe leaves early', () => {
    const project = makeProject(TOOLS)
    const out = execFileSync('sh', ['-c', `${NODE} ${ORLA} list 2>&1 | head -n 1`], {
      cwd: project.dir,
      env: project.env,
      encoding: 'utf8',
    })
    expect(out).toMatch(/^NAME/)
  })
})
