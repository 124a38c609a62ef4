import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { makeProject, NODE, ORLA, type Project } from './project.ts'
import {
  listTools,
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  registriesYaml,
} from './repositories.ts'

const YES = '--yes'

describe('orla validate', () => {
  it.each([
    [
      'version: 1.10',
      'name: a\nversion: 1.10\ndescription: d\nentrypoint: bin/a\n',
      2,
      /quotes: version: "1\.10\.0"/,
    ],
    ['tabs', 'name: a\nmcp:\n\ttitle: x\n', 3, /tab/],
    ['a missing field', 'name: a\nversion: 1.0.0\nentrypoint: bin/a\n', 1, /`description` is missing/],
    [
      'a field with nothing in it',
      'name: a\nversion:\ndescription: d\nentrypoint: bin/a\n',
      2,
      /`version` is empty/,
    ],
    ['a v in the version', 'name: a\nversion: v1.0.0\ndescription: d\nentrypoint: bin/a\n', 2, /1\.0\.0/],
    ['a folder as entrypoint', 'name: a\nversion: 1.0.0\ndescription: d\nentrypoint: bin\n', 4, /folder/],
    [
      'a way out of the package',
      'name: a\nversion: 1.0.0\ndescription: d\nentrypoint: ../a\n',
      4,
      /entrypoint/,
    ],
    [
      'an unknown permission',
      'name: a\nversion: 1.0.0\ndescription: d\nentrypoint: bin/a\npermissions: [filesystm:read]\n',
      5,
      /filesystm/,
    ],
    [
      'an unknown key',
      'name: a\nversion: 1.0.0\ndescrption: d\ndescription: d\nentrypoint: bin/a\n',
      3,
      /did you mean `description`/,
    ],
  ])('Q38, Q39, Q45: says where %s is wrong', async (_what, manifest, line, message) => {
    const project = makeProject({ 'a/tool.yaml': manifest, 'a/bin/a': '#!/bin/sh\n' })
    const { status, stdout } = await project.orla(['validate', 'a', '--json'])
    const { ok, problems } = JSON.parse(stdout) as {
      ok: boolean
      problems: { line: number; message: string; hint?: string; pointer: string }[]
    }
    expect([status, ok]).toEqual([1, false])
    const text = problems.map((one) => `${one.message} ${one.hint ?? ''}`).join('\n')
    expect(text).toMatch(message)
    expect(problems.some((one) => one.line === line)).toBe(true)
  })

  it('Q36, Q41, Q42, Q43, Q44: takes everything RFC 3 names, and tells every problem at once', async () => {
    const full = [
      'name: full\nversion: 1.0.0\ndescription: d\nentrypoint: bin/full\nauthor: Ada\nlicense: MIT',
      'repository: https://example.org/x\nhomepage: https://example.org\nkeywords: [a, b]\ndependencies: ["node>=18"]',
      'mcp:\n  input_schema: {path: string, mode: string}\n  output_schema: {content: string}',
      'permissions: ["filesystem:read", "filesystem:write"]',
      'runtime:\n  mode: simple\n  env: {LOG_LEVEL: debug}\n  args: ["--fast"]\n',
    ].join('\n')
    const project = makeProject({
      'full/tool.yaml': full,
      'full/bin/full': '#!/bin/sh\nexit 0\n',
      'bad/tool.yaml': 'name: Bad Name\nversion: one\nentrypoint: /x\n',
    })
    const good = await project.orla(['validate', 'full'])
    expect([good.status, good.stdout]).toEqual([0, 'full 1.0.0 is a valid package.\n'])
    const bad = await project.orla(['validate', 'bad'])
    expect(bad.stdout.match(/tool\.yaml:\d+:\d+: /g)?.length).toBeGreaterThanOrEqual(4)
    expect(bad.stderr).toMatch(/\d errors/)
  })
})

describe('manifests', () => {
  it('Q6, Q8, Q18: env, args and schemas of the manifest reach the tool', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/p/1.0.0/tool.yaml':
        'name: p\nversion: 1.0.0\ndescription: d\nentrypoint: bin/p\nmcp: {input_schema: {path: string}}\nruntime: {env: {GREETING: hi}, args: ["--fast"]}\n',
      'tools/p/1.0.0/bin/p': '#!/bin/sh\necho "$GREETING $* $SECRET"\n',
    })
    const { stdout } = await project.orla(['call', 'p', '{"path":"x"}'], {
      env: { SECRET: 'not for packages' },
    })
    expect(stdout).toBe('hi --fast --path x \n')
    expect((await project.orla(['call', 'p', '{"path":1}'])).status).toBe(2)
  })

  it('Q46: orla-tool.json is read with one warning, and tool.yaml beside it wins', async () => {
    const project = makeProject({
      'old/orla-tool.json': '{"name":"old","version":"1.0.0","entrypoint":"bin/old"}',
      'old/bin/old': '#!/bin/sh\n',
      'both/orla-tool.json': '{"name":"wrong","version":"1.0.0","entrypoint":"bin/old"}',
      ...Object.fromEntries(
        Object.entries(packageFiles('both', '2.0.0')).map(([path, text]) => [`both/${path}`, text]),
      ),
    })
    const old = await project.orla(['validate', 'old'])
    expect([old.status, old.stdout.match(/deprecated/g)]).toEqual([0, ['deprecated']])
    expect((await project.orla(['validate', 'both'])).stdout).toBe('both 2.0.0 is a valid package.\n')
  })

  it('Q5, Q7: the project shadows global packages, unless global_tools is off', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const http = makeToolRepository('http', ['1.0.0'])
    const registry = makeRegistry({ fs, http })
    const project = makeProject()
    await project.orla(['install', 'fs@v0.2.0', 'http', '--registry', registry.dir, YES])
    project.write({ 'orla.yaml': registriesYaml(['main', registry]) })
    await project.orla(['install', 'fs@v0.1.0', YES])
    const listed = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(
      listed.tools.map(({ name, version }: { name: string; version: string }) => `${name} ${version}`),
    ).toEqual(['fs 0.1.0', 'http 1.0.0'])
    expect(listed.packages.find(({ version }: { version: string }) => version === '0.2.0')).toMatchObject({
      state: 'shadowed',
      scope: 'global',
    })
    project.write({ 'orla.yaml': `global_tools: false\n${registriesYaml(['main', registry])}` })
    expect(JSON.parse((await project.orla(['list', '--json'])).stdout).tools).toHaveLength(1)
  })

  it('one broken package never hides the rest', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/bad/1.0.0/tool.yaml': 'name: [\n',
      'tools/gone/1.0.0/tool.yaml': 'name: gone\nversion: 1.0.0\ndescription: d\nentrypoint: bin/gone\n',
      'tools/ok.sh': '#!/bin/sh\necho ok\n',
    })
    const { tools, problems } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(tools).toHaveLength(1)
    expect(problems.map(({ file }: { file: string }) => file).join('\n')).toMatch(/bad[\s\S]*gone/)
  })
})

describe('looking around', () => {
  it('Q84, Q116: search ranks, forgives typos and filters', async () => {
    const registry = makeRepository({
      'registry.yaml':
        'version: 1\nregistry_url: x\ntools:\n  - {name: fs, description: Local filesystem access, repository: /x, keywords: [filesystem, files], capabilities: [read], language: go, platforms: [linux-x64]}\n  - {name: http, description: Requests over the web and to a file server, repository: /y, keywords: [web], language: python}\n  - {name: "../evil", description: d, repository: /z}\n',
    })
    registry.commit()
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    const search = async (...args: string[]) => {
      const { stdout, stderr } = await project.orla(['search', ...args, YES, '--json'])
      return {
        names: JSON.parse(stdout).results.map(({ name }: { name: string }) => name) as string[],
        stderr,
      }
    }
    expect((await search('filesytem')).names[0]).toBe('fs')
    expect((await search('file')).names).toEqual(['fs', 'http'])
    expect((await search()).names).toEqual(['fs', 'http'])
    expect((await search('--keyword', 'web')).names).toEqual(['http'])
    expect((await search('--language', 'go')).names).toEqual(['fs'])
    expect((await search('--capability', 'read')).names).toEqual(['fs'])
    expect((await search('--platform', 'win-x64')).names).toEqual(['http'])
    expect((await search('zzzzqqq')).names).toEqual([])
  })

  it('info tells what is installed, available and permitted', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'], 'permissions: ["filesystem:read"]\nauthor: Ada\n')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs@v0.1.0', YES])
    const info = JSON.parse((await project.orla(['info', 'fs', '--json'])).stdout)
    expect(info).toMatchObject({
      name: 'fs',
      available: ['0.2.0', '0.1.0'],
      registry: 'main',
      installed: [
        {
          version: '0.1.0',
          state: 'in use',
          permissions: [{ word: 'filesystem:read', meaning: expect.stringMatching(/ALL your files/) }],
          manifest: { author: 'Ada' },
        },
      ],
    })
    const shown = (await project.orla(['info', 'fs'])).stdout
    expect(shown).toContain('available from main: 0.2.0, 0.1.0')
    expect((await project.orla(['info', 'nothing', YES])).status).toBe(4)
  })

  it('outdated, update --dry-run, --prune and rollback', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs', YES])
    expect((await project.orla(['outdated'])).stdout).toMatch(/up to date/)
    fs.write(packageFiles('fs', '0.2.0'))
    fs.commit('v0.2.0')
    expect(JSON.parse((await project.orla(['outdated', '--json'])).stdout).outdated).toMatchObject([
      { name: 'fs', current: '0.1.0', latest: '0.2.0' },
    ])
    expect((await project.orla(['update', '--dry-run'])).stdout).toMatch(/install {2}fs 0\.2\.0/)
    expect(readdirSync(join(project.dir, 'tools/fs'))).toEqual(['0.1.0'])
    expect((await project.orla(['update'])).stdout).toMatch(/fs 0\.1\.0 → 0\.2\.0/)
    expect((await project.orla(['rollback', 'fs'])).stdout).toMatch(/fs 0\.1\.0 serves/)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
    expect((await project.orla(['rollback', 'fs'])).status).toBe(4)
    fs.write(packageFiles('fs', '0.3.0'))
    fs.commit('v0.3.0')
    expect((await project.orla(['update', '--prune'])).stdout).toMatch(/fs 0\.2\.0 removed/)
    // 0.1.0 was chosen by the rollback and still serves.
    expect(readdirSync(join(project.dir, 'tools/fs'))).toEqual(['0.1.0', '0.3.0'])
    expect((await project.orla(['update', 'nothere'])).status).toBe(4)
  })

  it('Q94: a quiet notice on a terminal, at most daily', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs', YES])
    fs.write(packageFiles('fs', '0.2.0'))
    fs.commit('v0.2.0')
    const onTerminal = (env: Record<string, string> = {}) =>
      execFileSync('script', ['-qec', `${NODE} ${ORLA} list`, '/dev/null'], {
        cwd: project.dir,
        env: { ...withoutCi(project), ...env },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    expect(onTerminal({ CI: 'true' })).not.toContain('Newer:')
    expect(onTerminal({ ORLA_UPDATE_NOTICE: 'false' })).not.toContain('Newer:')
    expect(onTerminal()).toContain('Newer: fs 0.1.0 → 0.2.0')
    expect(onTerminal()).not.toContain('Newer:')
  })
})

describe('registries', () => {
  it('are added, listed, removed; comments stay', async () => {
    const registry = makeRegistry({ fs: makeToolRepository('fs', ['0.1.0'], 'permissions: []\n') })
    const project = makeProject({ 'orla.yaml': '# mine\nport: 1 # here\n' })
    expect((await project.orla(['registry', 'add', 'team', registry.dir])).status).toBe(0)
    expect(JSON.parse((await project.orla(['registry', 'list', '--json'])).stdout).registries).toMatchObject([
      { name: 'default' },
      { name: 'team', url: registry.dir, trusted: true },
    ])
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toMatch(/^# mine\nport: 1 # here\n/)
    expect((await project.orla(['install', 'team/fs'])).status).toBe(0)
    expect((await project.orla(['registry', 'add', 'team', registry.dir])).status).toBe(2)
    expect((await project.orla(['registry', 'remove', 'team'])).status).toBe(0)
    expect((await project.orla(['registry', 'remove', 'team'])).status).toBe(4)
    expect((await project.orla(['registry', 'add', '../x', registry.dir])).status).toBe(2)
    expect((await project.orla(['registry'])).stderr).toMatch(/registry add/)
  })

  it('Q50, Q51, Q52, Q94: can be started, filled and used; an unreachable one does not stop the next', async () => {
    const tool = makeToolRepository('fs', ['0.1.0', '0.2.0'], 'author: Ada\nkeywords: [files]\n')
    const project = makeProject({ 'orla.yaml': '' })
    expect((await project.orla(['registry', 'init', 'reg'])).status).toBe(0)
    expect((await project.orla(['registry', 'add-tool', 'reg', tool.dir])).stdout).toMatch(/fs \(0\.2\.0\)/)
    const index = readFileSync(join(project.dir, 'reg/registry.yaml'), 'utf8')
    expect(index).toMatch(/name: fs[\s\S]*maintainer: Ada/)
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'fs'], {
      cwd: join(project.dir, 'reg'),
    })
    project.write({
      'orla.yaml': `registries:\n  - {name: away, url: "${project.dir}/nowhere"}\n  - {name: ours, url: "${project.dir}/reg"}\n`,
    })
    const result = await project.orla(['install', 'fs', YES])
    expect([result.status, result.stderr]).toEqual([0, expect.stringMatching(/warning: .*nowhere/)])
    expect((await project.orla(['registry', 'init', 'reg'])).status).toBe(1)
  })

  it('Q94: private ones take a token from the environment, which is never written or printed', async () => {
    const password = 'hunter2-secret'
    const fs = makeToolRepository('fs', ['0.1.0'])
    const git = await serveGit(dirname(fs.dir), { password })
    onTestFinished(() => git.close())
    const server = git.url
    const name = (dir: string) => dir.split('/').at(-1)
    const registry = makeRepository()
    listTools(registry, { fs: `${server}/${name(fs.dir)}/.git` })
    const project = makeProject({
      'orla.yaml': `registries:\n  - {name: my-team, url: "${server}/${name(registry.dir)}/.git"}\n`,
    })
    const refused = await project.orla(['install', 'fs', YES])
    expect(refused.status).not.toBe(0)
    const env = { ORLA_REGISTRY_TOKEN_MY_TEAM: password }
    const result = await project.orla(['install', 'fs', YES], { env })
    expect([result.status, result.stderr]).toEqual([0, expect.anything()])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
    expect(refused.stderr + result.stdout + result.stderr).not.toContain(password)
    const found = spawnSync('grep', ['-rl', password, join(project.dir, '..')], { encoding: 'utf8' })
    expect(found.stdout).toBe('')
  })
})

describe('authors', () => {
  it.each(['sh', 'python', 'node'])('orla new --lang %s validates, tests and installs', async (lang) => {
    const project = makeProject({ 'orla.yaml': '' })
    expect((await project.orla(['new', 'greet', '--lang', lang])).status).toBe(0)
    expect((await project.orla(['validate', 'greet'])).status).toBe(0)
    expect((await project.orla(['test', 'greet'])).stdout).toMatch(/1 passed, 0 failed/)
    expect((await project.orla(['install', '--local', 'greet'])).status).toBe(0)
    expect(JSON.parse((await project.orla(['call', 'greet', '--arg', 'name=A"\\B'])).stdout)).toEqual({
      greeting: 'Hello, A"\\B!',
    })
    expect((await project.orla(['new', 'greet'])).status).toBe(1)
    expect((await project.orla(['new', '../x'])).status).toBe(2)
  })

  it('a package that fails its own tests is not installed, unless --no-test', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['new', 'greet'])
    writeFileSync(
      join(project.dir, 'greet/tests/wrong.test.json'),
      '{"name":"wrong","input":{"name":"x"},"expected":{"greeting":"Bye"}}',
    )
    const refused = await project.orla(['install', '--local', 'greet'])
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/wrong/)])
    expect(existsSync(join(project.dir, 'tools/greet'))).toBe(false)
    expect((await project.orla(['test', 'greet', '--json'])).status).toBe(1)
    expect((await project.orla(['install', '--local', 'greet', '--no-test'])).status).toBe(0)
  })

  it('orla publish makes the tag only when everything agrees', async () => {
    const repo = makeRepository({ ...packageFiles('pub', '1.0.0'), 'CHANGELOG.md': '# Changelog\n' })
    const project = makeProject()
    const none = await project.orla(['publish', repo.dir])
    expect(none.stderr).toMatch(/git repository with a commit/)
    repo.git('add', '-A')
    repo.git('commit', '-qm', 'first')
    repo.write({ 'extra.txt': 'x' })
    const wrong = await project.orla(['publish', repo.dir])
    expect([wrong.status, wrong.stderr]).toEqual([
      1,
      expect.stringMatching(/not committed: extra\.txt[\s\S]*CHANGELOG/),
    ])
    repo.write({ 'CHANGELOG.md': '# Changelog\n\n## 1.0.0\n' })
    repo.commit()
    expect((await project.orla(['publish', repo.dir, '--dry-run'])).status).toBe(0)
    expect(repo.git('tag')).toBe('')
    const done = await project.orla(['publish', repo.dir])
    expect([done.status, done.stdout]).toEqual([0, expect.stringContaining('name: pub')])
    expect(repo.git('tag')).toBe('v1.0.0')
    repo.write({ 'more.txt': 'x' })
    repo.commit()
    expect((await project.orla(['publish', repo.dir])).stderr).toMatch(/raise the version/)
    expect((await project.orla(['install', repo.dir.replace(/^/, 'file://'), YES])).status).toBe(0)
  })
})

describe('malicious names', () => {
  const NAMES = ['../x', '-rf', 'a\u001b[2J', 'a b', '..', '/etc', 'a\nb', 'con/../x']
  it.each(['install', 'uninstall', 'update', 'outdated', 'use', 'rollback', 'info'])(
    'are refused by orla %s',
    async (command) => {
      const project = makeProject({ 'orla.yaml': 'registries: []\n', 'keep.txt': 'x' })
      for (const name of NAMES) {
        const { status, stderr } = await project.orla([command, '--', name])
        expect([command, name, status]).toEqual([
          command,
          name,
          expect.toSatisfy((code) => code === 2 || code === 4),
        ])
        expect(stderr).not.toContain('\u001b')
      }
      expect(existsSync(join(project.dir, 'keep.txt'))).toBe(true)
    },
  )
})

describe('interrupted', () => {
  it('killed at any moment: what worked still works, and a repeat succeeds', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'], 'permissions: []\n')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs@v0.1.0', YES])
    const whole = await timed(() => project.orla(['install', 'fs@v0.2.0', YES]))
    await project.orla(['uninstall', 'fs@v0.2.0'])
    for (let trial = 0; trial < 10; trial++) {
      const child = spawn(NODE, [ORLA, 'install', 'fs@v0.2.0', YES], {
        cwd: project.dir,
        env: project.env,
        stdio: 'ignore',
      })
      const ended = new Promise((resolve) => child.on('exit', resolve))
      setTimeout(() => child.kill('SIGKILL'), (whole * trial) / 9)
      await ended
      const { stdout } = await project.orla(['call', 'fs'])
      expect(['fs 0.1.0\n', 'fs 0.2.0\n']).toContain(stdout)
      if (stdout === 'fs 0.2.0\n') await project.orla(['uninstall', 'fs@v0.2.0'])
    }
    expect((await project.orla(['install', 'fs@v0.2.0', YES])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.2.0\n')
    const left = readdirSync(join(project.dir, 'tools')).filter((name) => name.startsWith('.orla'))
    expect(left).toEqual([])
  }, 120_000)

  it.skipIf(!canMount())(
    'on a full disk (needs to mount a small one; skipped without the right): nothing is lost',
    async () => {
      const big = makeRepository({ ...packageFiles('big', '1.0.0'), 'data.bin': 'x'.repeat(3_000_000) })
      big.commit('v1.0.0')
      const fs = makeToolRepository('fs', ['0.1.0'])
      const registry = makeRegistry({ big, fs })
      const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
      mkdirSync(join(project.dir, 'tools'))
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', join(project.dir, 'tools')])
      onTestFinished(() => void execFileSync('umount', [join(project.dir, 'tools')]))
      await project.orla(['install', 'fs', YES])
      const full = await project.orla(['install', 'big', YES])
      expect([full.status, full.stderr]).toEqual([1, expect.stringMatching(/space|full/i)])
      expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
      expect(readdirSync(join(project.dir, 'tools'))).toEqual(['fs'])
      expect(
        Object.keys(JSON.parse(readFileSync(join(project.dir, 'orla.lock'), 'utf8')).packages),
      ).toHaveLength(1)
    },
  )
})

function withoutCi(project: Project): Record<string, string> {
  const { CI: _ci, ...env } = project.env
  return env
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function canMount(): boolean {
  try {
    const dir = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir], { stdio: 'ignore' })
      execFileSync('umount', [dir])
    } finally {
      rmSync(dir, { recursive: true })
    }
    return true
  } catch {
    return false
  }
}
