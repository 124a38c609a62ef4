import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { connectHttp } from './clients.ts'
import { eventually, makeProject, NODE, ORLA, type Project } from './project.ts'
import {
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  type Repository,
  registriesYaml,
} from './repositories.ts'

const YES = '--yes'

interface LockFile {
  readonly packages: {
    readonly name: string
    readonly version: string
    readonly pin: Record<string, string>
    readonly [key: string]: unknown
  }[]
}

function lockOf(project: Project): LockFile {
  return JSON.parse(readFileSync(join(project.dir, 'orla.lock'), 'utf8')) as LockFile // Orla wrote it
}

function writeLock(project: Project, lock: LockFile): void {
  writeFileSync(join(project.dir, 'orla.lock'), JSON.stringify(lock))
}

function versionsIn(project: Project, name: string): string[] {
  const folder = join(project.dir, 'tools', name)
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

function projectWith(...registries: [string, Repository][]): Project {
  return makeProject({ 'orla.yaml': registriesYaml(...registries) })
}

/** A repository that holds one version with other files than the usual ones. */
function release(repository: Repository, name: string, version: string, extra = '', more = {}): Repository {
  repository.write({ ...packageFiles(name, version, extra), ...more })
  repository.commit(`v${version}`)
  return repository
}

/** What a program needs that leaves files for the test to find. */
function mayWrite(folder: string): string {
  return `permissions: ["filesystem:write:${folder}"]\n`
}

/** A hook that says that it has begun and waits for a word: in a folder, which it sees as it is while it runs. */
function waitingHook(project: string): string {
  const folder = join(project, 'signs')
  mkdirSync(folder, { recursive: true })
  return `#!/bin/sh\necho begun > ${folder}/begun\nwhile [ ! -e ${folder}/go ]; do sleep 0.05; done\n`
}

async function problemsOf(project: Project): Promise<string> {
  const { problems } = JSON.parse((await project.orla(['list', '--json'])).stdout) as {
    problems: { message: string }[]
  }
  return problems.map(({ message }) => message).join('\n')
}

function start(project: Project, ...args: string[]) {
  const child = spawn(NODE, [ORLA, ...args], { cwd: project.dir, env: project.env, stdio: 'pipe' })
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk))
  const ended = once(child, 'close').then(([status]) => ({
    status: status as number | null, // 'close' carries it
    output: Buffer.concat(output).toString(),
  }))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended }
}

describe('what is installed is what was checked', () => {
  const TEST = '{"name":"it runs","input":{},"expected":{"stdout":"ok\\n","stderr":"","exit_code":0}}'
  const writing = (file: string) =>
    `#!/bin/sh\nprintf 'permissions: [network]\\n' >> "$(dirname "$0")/${file}" || true\necho ok\n`

  it('Q58: tests run on a copy, so that a package cannot rewrite itself', async () => {
    const sly = makeRepository({
      ...packageFiles('sly', '1.0.0'),
      'bin/sly': writing('../tool.yaml'),
      'tests/a.test.json': TEST,
    })
    sly.commit('v1.0.0')
    const project = projectWith(['main', makeRegistry({ sly })])
    const result = await project.orla(['install', 'sly', YES])
    expect([result.status, result.stderr]).toEqual([0, expect.anything()])
    expect(readFileSync(join(project.dir, 'tools/sly/1.0.0/tool.yaml'), 'utf8')).not.toContain('network')
  })

  it('Q58: one that reaches for the original is refused', async () => {
    const sly = makeRepository({
      ...packageFiles('sly', '1.0.0'),
      'bin/sly': writing('../../new/tool.yaml'),
      'tests/a.test.json': TEST,
    })
    sly.commit('v1.0.0')
    const project = projectWith(['main', makeRegistry({ sly })])
    const free = await project.orla(['install', 'sly', YES], { env: { ORLA_SANDBOX: 'off' } })
    expect([free.status, free.stderr]).toEqual([3, expect.stringMatching(/changed while its tests ran/)])
    const held = await project.orla(['install', 'sly', YES])
    expect([held.status, held.stderr]).toEqual([1, expect.stringMatching(/fails its own tests/)])
    expect(versionsIn(project, 'sly')).toEqual([])
  })

  it('a manifest that was edited after the install does not serve, and an install brings it back', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', 'fs', YES])
    const manifest = join(project.dir, 'tools/fs/1.0.0/tool.yaml')
    writeFileSync(manifest, `${readFileSync(manifest, 'utf8')}permissions: [network]\n`)
    expect(await problemsOf(project)).toMatch(/was changed after it was installed/)
    expect((await project.orla(['call', 'fs'])).status).toBe(3)
    expect((await project.orla(['install', '--frozen', YES])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
  })

  it('a damaged file is noticed and installed again', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', 'fs', YES])
    writeFileSync(join(project.dir, 'tools/fs/1.0.0/bin/fs'), '#!/bin/sh\necho broken\n')
    writeFileSync(join(project.dir, 'tools/fs/1.0.0/made-by-itself'), '')
    for (const args of [['--frozen'], [], ['fs']]) {
      expect((await project.orla(['install', ...args, YES])).status).toBe(0)
      expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
      writeFileSync(join(project.dir, 'tools/fs/1.0.0/bin/fs'), '#!/bin/sh\necho broken\n')
    }
    await project.orla(['install', YES])
    expect((await project.orla(['install', 'fs', YES])).stdout).toMatch(/installed already/)
    // Someone else's file beside its own is damage too: an interpreter may prefer it.
    writeFileSync(join(project.dir, 'tools/fs/1.0.0/planted'), '')
    expect((await project.orla(['call', 'fs'])).status).toBe(3)
    expect((await project.orla(['install', 'fs', YES])).stdout).toMatch(/installed in/)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
  })

  it('what is kept is decided when it is stored: one that went away meanwhile comes back', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = makeProject()
    const slow = makeRepository({
      ...packageFiles('slow', '1.0.0', mayWrite(project.dir)),
      'tests/a.test.json': TEST,
    })
    slow.write({ 'bin/slow': `${waitingHook(project.dir)}echo ok\n` })
    slow.commit('v1.0.0')
    project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs, slow })]) })
    await project.orla(['install', 'fs', YES])
    const both = start(project, 'install', 'fs', 'slow', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the test of slow')
    await project.orla(['uninstall', 'fs'])
    project.write({ 'signs/go': '' })
    expect(await both.ended).toMatchObject({ status: 0 })
    expect(versionsIn(project, 'fs')).toEqual(['1.0.0'])
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['fs', 'slow'])
  })
})

describe('orla update', () => {
  it.each(['a registry', 'its address'])('does not let %s take over another name', async (from) => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', from === 'a registry' ? 'fs' : `file://${fs.dir}`, YES])
    fs.write({ ...packageFiles('bank', '1.1.0') })
    fs.commit('v1.1.0')
    const result = await project.orla(['update', YES])
    expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/fs.*bank/)])
    expect(versionsIn(project, 'bank')).toEqual([])
  })

  it('Q94: works for private registries and remembers where the package is from', async () => {
    const password = 'hunter2-secret'
    const fs = makeToolRepository('fs', ['1.0.0'])
    const git = await serveGit(dirname(fs.dir), { password })
    onTestFinished(() => git.close())
    const place = (dir: string) => `${git.url}/${dir.split('/').at(-1)}/.git`
    const registry = makeRegistry({ fs: place(fs.dir) })
    const project = makeProject({
      'orla.yaml': `registries:\n  - {name: team, url: "${place(registry.dir)}"}\n`,
    })
    const env = { ORLA_REGISTRY_TOKEN_TEAM: password }
    await project.orla(['install', 'fs', YES], { env })
    release(fs, 'fs', '1.1.0')
    const result = await project.orla(['update'], { env })
    expect([result.status, result.stdout]).toEqual([0, expect.stringMatching(/1\.0\.0 → 1\.1\.0/)])
    expect(lockOf(project).packages.map(({ pin }) => pin.registry)).toEqual([
      place(registry.dir),
      place(registry.dir),
    ])
  })

  it('--prune keeps what was chosen and what others need, and works when nothing is outdated', async () => {
    const fs = makeToolRepository('fs', ['1.0.0', '1.1.0', '1.2.0'])
    const base = makeToolRepository('base', ['1.0.0', '2.0.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:base<2.0.0"]\n')
    const project = projectWith(['main', makeRegistry({ fs, base, top })])
    for (const spec of ['fs@v1.0.0', 'fs@v1.1.0', 'fs', 'top', 'base@v2.0.0']) {
      expect([spec, (await project.orla(['install', spec, YES])).status]).toEqual([spec, 0])
    }
    await project.orla(['use', 'fs@v1.0.0'])
    const result = await project.orla(['update', '--prune', 'fs', 'base'])
    expect([result.status, result.stdout]).toEqual([0, 'Everything is up to date.\nfs 1.1.0 removed\n'])
    expect(versionsIn(project, 'fs')).toEqual(['1.0.0', '1.2.0'])
    expect(versionsIn(project, 'base')).toEqual(['1.0.0', '2.0.0'])
  })

  it('says when another version was chosen and still serves', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', 'fs', YES])
    await project.orla(['use', 'fs@v1.0.0'])
    release(fs, 'fs', '1.1.0')
    expect((await project.orla(['update'])).stderr).toMatch(/1\.0\.0 still serves.*orla use fs@v1\.1\.0/)
  })

  it('rollback goes back from the version that serves, not from a newer pre-release', async () => {
    const fs = makeToolRepository('fs', ['0.9.0', '1.0.0', '2.0.0-rc.1'])
    const project = projectWith(['main', makeRegistry({ fs })])
    for (const tag of ['v0.9.0', 'v1.0.0', 'v2.0.0-rc.1']) await project.orla(['install', `fs@${tag}`, YES])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    expect((await project.orla(['rollback', 'fs'])).stdout).toMatch(/^fs 0\.9\.0 serves/)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.9.0\n')
  })
})

describe('hooks', () => {
  const HOOK = 'hooks: {post_install: setup.sh}\n'

  it('Q61: one that fails on a reinstall leaves the version that worked', async () => {
    const fs = makeRepository()
    const project = makeProject()
    const setup = `#!/bin/sh\n[ ! -e ${project.dir}/fail ]\n`
    release(fs, 'fs', '1.0.0', HOOK + mayWrite(project.dir), { 'setup.sh': setup })
    project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    expect((await project.orla(['install', 'fs', YES])).status).toBe(0)
    project.write({ fail: '' })
    const result = await project.orla(['install', 'fs', '--force', YES])
    expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/setup\.sh/)])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    expect(readdirSync(join(project.dir, 'tools'))).toEqual(['fs'])
  })

  it('Q61: killed while one runs, the package does not serve, and the next install runs it again', async () => {
    const project = makeProject()
    const fs = makeRepository()
    release(fs, 'fs', '1.0.0', HOOK + mayWrite(project.dir), { 'setup.sh': waitingHook(project.dir) })
    project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    const first = start(project, 'install', 'fs', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the hook')
    first.child.kill('SIGKILL')
    await first.ended
    expect(await problemsOf(project)).toMatch(/its install has not ended/)
    expect((await project.orla(['call', 'fs'])).status).toBe(4)
    project.write({ 'signs/go': '' })
    rmSync(join(project.dir, 'signs/begun'))
    expect((await project.orla(['install', 'fs', YES])).status).toBe(0)
    expect(existsSync(join(project.dir, 'signs/begun'))).toBe(true)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    rmSync(join(project.dir, 'signs/go'))
    rmSync(join(project.dir, 'signs/begun'))
    const again = start(project, 'install', 'fs', '--force', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the hook')
    again.child.kill('SIGKILL')
    await again.ended
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    project.write({ 'signs/go': '' })
  })

  it('Q61: killed at any moment of a reinstall, what worked still works, and a repeat succeeds', async () => {
    const base = makeToolRepository('base', ['1.0.0'])
    const fs = makeRepository()
    const setup = '#!/bin/sh\necho "#!/bin/sh\necho ready" > bin/fs\n'
    release(fs, 'fs', '1.0.0', `${HOOK}dependencies: ["tool:base"]\n`, { 'setup.sh': setup })
    const project = projectWith(['main', makeRegistry({ base, fs })])
    await project.orla(['install', 'fs', YES])
    const begun = performance.now()
    await project.orla(['install', 'fs', 'base', '--force', YES])
    const wholeMs = performance.now() - begun
    for (let trial = 0; trial < 8; trial++) {
      const { child, ended } = start(project, 'install', 'fs', 'base', '--force', YES)
      // Not a wait for something: the moment of the kill is what varies.
      setTimeout(() => child.kill('SIGKILL'), (wholeMs * (trial + 2)) / 9)
      await ended
      const calls = await Promise.all(['fs', 'base'].map((name) => project.orla(['call', name])))
      expect(calls.map(({ stdout }) => stdout)).toEqual(['ready\n', 'base 1.0.0\n'])
    }
    expect((await project.orla(['install', '--frozen', YES])).status).toBe(0)
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['base', 'fs'])
    expect(readdirSync(join(project.dir, 'tools')).sort()).toEqual(['base', 'fs'])
  }, 120_000)

  it.each(['SIGTERM', 'SIGINT'] as const)('Q61: %s while one runs undoes it, and says so', async (signal) => {
    const project = makeProject()
    const fs = makeRepository()
    release(fs, 'fs', '1.0.0', HOOK + mayWrite(project.dir), { 'setup.sh': waitingHook(project.dir) })
    const other = makeToolRepository('other', ['1.0.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:other"]\n')
    project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs, other, top })]) })
    const alone = start(project, 'install', 'fs', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the hook')
    alone.child.kill(signal)
    expect(await alone.ended).toEqual({ status: 130, output: expect.stringContaining('nothing was changed') })
    expect(versionsIn(project, 'fs')).toEqual([])
    rmSync(join(project.dir, 'signs/begun'))
    const several = start(project, 'install', 'top', 'fs', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the hook')
    several.child.kill(signal)
    const { status, output } = await several.ended
    expect([status, output]).toEqual([
      130,
      expect.stringMatching(/interrupted; installed before that: top 1/),
    ])
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['other', 'top'])
    expect(versionsIn(project, 'fs')).toEqual([])
  })

  it('Q61: one that fails says what was installed before it, and may not change the manifest', async () => {
    const first = makeToolRepository('first', ['1.0.0'])
    const bad = makeRepository()
    release(bad, 'bad', '1.0.0', HOOK, { 'setup.sh': '#!/bin/sh\necho "permissions: []" >> tool.yaml\n' })
    const project = projectWith(['main', makeRegistry({ first, bad })])
    const result = await project.orla(['install', 'first', 'bad', YES])
    expect([result.status, result.stderr]).toEqual([
      1,
      expect.stringMatching(/changed the manifest[\s\S]*first 1\.0\.0/),
    ])
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['first'])
    expect((await project.orla(['call', 'first'])).stdout).toBe('first 1.0.0\n')
  })

  it('Q60, Q61: a running server offers the package once its hook is done; what it made is no damage', async () => {
    const project = makeProject()
    const fs = makeRepository()
    const hook = `${waitingHook(project.dir)}echo '#!/bin/sh\necho made' > bin/fs\nln -s /bin/sh shell\n`
    release(fs, 'fs', '1.0.0', HOOK + mayWrite(project.dir), { 'setup.sh': hook })
    project.write({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    const server = await project.serve()
    const client = await connectHttp('v2-legacy', server.url)
    const install = start(project, 'install', 'fs', YES)
    await eventually(() => existsSync(join(project.dir, 'signs/begun')), 'the hook')
    expect(await client.list()).toEqual([])
    project.write({ 'signs/go': '' })
    await eventually(() => client.changes() > 0, 'list_changed')
    expect((await client.list()).map(({ name }) => name)).toEqual(['fs'])
    expect(await install.ended).toMatchObject({ status: 0 })
    expect((await project.orla(['call', 'fs'])).stdout).toBe('made\n')
    expect((await project.orla(['install', 'fs', YES])).stdout).toMatch(/installed already/)
  })
})

describe('trust', () => {
  it('Q56: restoring orla.lock needs trust in its registry, and in sources no registry lists', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'], 'permissions: []\n')
    const evil = makeToolRepository('fs', ['1.0.0'])
    const registry = makeRegistry({ fs })
    const origin = projectWith(['main', registry])
    await origin.orla(['install', 'fs', YES])
    const lock = lockOf(origin)
    const pin = lock.packages[0]?.pin ?? {}
    const restore = async (entry: Record<string, string>, before?: string[]) => {
      const project = projectWith(['main', registry])
      if (before) await project.orla(before)
      writeLock(project, { ...lock, packages: lock.packages.map((one) => ({ ...one, pin: entry })) })
      const refused = await project.orla(['install'])
      expect(existsSync(join(project.dir, 'tools/fs'))).toBe(refused.status === 0)
      return { ...refused, accepted: (await project.orla(['install', YES])).status }
    }
    expect(await restore(pin)).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/main/),
      accepted: 0,
    })
    const { registry: _, ...bare } = pin
    expect(await restore(bare)).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/no registry/),
      accepted: 0,
    })
    const trusted = ['search', 'fs', YES]
    expect(await restore(pin, trusted)).toMatchObject({ status: 0 })
    const elsewhere = { ...pin, url: evil.dir, commit: evil.git('rev-parse', 'HEAD') }
    expect(await restore(elsewhere, trusted)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining(evil.dir),
    })
  })

  it('Q90: permissions accepted for one source do not count for another', async () => {
    const extra = 'permissions: [network]\n'
    const one = makeToolRepository('fs', ['1.0.0'], extra)
    const two = makeToolRepository('fs', ['2.0.0'], extra)
    const project = projectWith(['one', makeRegistry({ fs: one })], ['two', makeRegistry({ fs: two })])
    await project.orla(['search', 'fs', YES])
    await project.orla(['install', 'one/fs', YES])
    const refused = await project.orla(['install', 'two/fs'])
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringMatching(/asks {2}network {2}\(/)])
    expect((await project.orla(['install', 'one/fs', '--force'])).status).toBe(0)
  })

  it('Q94: a password in an address is used and never written or printed', async () => {
    const secret = 'S3CRET-word'
    const fs = makeToolRepository('fs', ['1.0.0'])
    const zip = makeToolRepository('zip', ['1.0.0'])
    zip.git('archive', '--prefix=zip/', '-o', 'zip.tar.gz', 'v1.0.0')
    const archive = readFileSync(join(zip.dir, 'zip.tar.gz'))
    const seen: (string | undefined)[] = []
    const web = createServer((request, response) => {
      seen.push(request.headers.authorization)
      response.end(archive)
    })
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    const git = await serveGit(dirname(fs.dir), { password: secret })
    onTestFinished(async () => {
      web.close()
      await git.close()
    })
    const withUser = (url: string) => url.replace('//', `//bob:${secret}@`)
    const project = makeProject({ 'orla.yaml': '' })
    const port = (web.address() as AddressInfo).port // a port was asked for
    const place = (dir: string) => `${git.url}/${dir.split('/').at(-1)}/.git`
    const registry = makeRegistry({ fs: place(fs.dir) })
    const said: string[] = []
    for (const args of [
      ['install', withUser(`http://127.0.0.1:${port}/zip.tar.gz`)],
      ['install', withUser(place(fs.dir))],
      ['install', withUser(`${git.url}/none/.git`)],
      ['install', 'fs', '--force', '--registry', withUser(place(registry.dir))],
      ['install', 'fs', '--registry', withUser(place(registry.dir)), '--json'],
    ]) {
      const { status, stdout, stderr } = await project.orla([...args, YES])
      said.push(stdout, stderr)
      expect([args, status, stderr]).toEqual([args, args[1]?.includes('none') ? 1 : 0, expect.anything()])
    }
    expect(seen).toEqual([`Basic ${Buffer.from(`bob:${secret}`).toString('base64')}`])
    expect(git.seen).toContain(`bob:${secret}`)
    expect(said.join('\n')).not.toContain(secret)
    expect(filesWith(dirname(project.dir), secret)).toEqual([])
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['fs', 'zip'])
  })
})

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
}

describe('dependencies', () => {
  it('Q94: a range chooses an older version, also where several meet', async () => {
    const b = release(makeToolRepository('b', ['1.0.0', '1.5.0']), 'b', '2.0.0', 'dependencies: ["tool:x"]\n')
    const x = makeToolRepository('x', ['1.0.0'])
    const a = makeToolRepository('a', ['1.0.0'], 'dependencies: ["tool:b<2.0.0"]\n')
    const c = makeToolRepository('c', ['1.0.0'], 'dependencies: ["tool:b>=1.0.0", "tool:d"]\n')
    const d = makeToolRepository('d', ['1.0.0'], 'dependencies: ["tool:b<1.5.0"]\n')
    const e = makeToolRepository('e', ['1.0.0'], 'dependencies: ["tool:b>=2.0.0"]\n')
    const registry = makeRegistry({ a, b, c, d, e, x })
    for (const [names, expected] of [
      [['a'], '1.5.0'],
      [['a', 'b'], '1.5.0'],
      [['a', 'c'], '1.0.0'],
      [['c'], '1.0.0'],
    ] as const) {
      const project = projectWith(['main', registry])
      const result = await project.orla(['install', ...names, YES])
      expect([names, result.status, versionsIn(project, 'b')]).toEqual([names, 0, [expected]])
      // Only the version of b that was given up needs it.
      expect(versionsIn(project, 'x')).toEqual([])
    }
    const project = projectWith(['main', registry])
    for (const names of [
      ['a', 'e'],
      ['a', 'b@v2.0.0'],
    ]) {
      const conflict = await project.orla(['install', ...names, YES])
      expect([conflict.status, conflict.stderr]).toEqual([
        1,
        expect.stringMatching(/no version of b fits: a 1\.0\.0 needs tool:b<2\.0\.0/),
      ])
    }
    expect(existsSync(join(project.dir, 'orla.lock'))).toBe(false)
  })

  it('a circle is found when all of it was asked for', async () => {
    const x = makeToolRepository('x', ['1.0.0'], 'dependencies: ["tool:y"]\n')
    const y = makeToolRepository('y', ['1.0.0'], 'dependencies: ["tool:x"]\n')
    const project = projectWith(['main', makeRegistry({ x, y })])
    const result = await project.orla(['install', 'x', 'y', YES])
    expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/x → y → x/)])
    expect(versionsIn(project, 'x')).toEqual([])
  })

  it('come from the registry of the package that needs them', async () => {
    const theirs = makeToolRepository('base', ['9.0.0'])
    const ours = makeToolRepository('base', ['1.0.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:base"]\n')
    const project = projectWith(
      ['public', makeRegistry({ base: theirs })],
      ['ours', makeRegistry({ base: ours, top })],
    )
    expect((await project.orla(['install', 'top', YES])).status).toBe(0)
    expect(versionsIn(project, 'base')).toEqual(['1.0.0'])
  })

  it('that are there but not locked, after an install that was killed, are locked by the next', async () => {
    const base = makeToolRepository('base', ['1.0.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:base"]\n')
    const project = projectWith(['main', makeRegistry({ base, top })])
    await project.orla(['install', 'top', YES])
    const whole = lockOf(project)
    for (const left of [['top'], []]) {
      writeLock(project, { ...whole, packages: whole.packages.filter(({ name }) => left.includes(name)) })
      expect((await project.orla(['install', 'top', YES])).status).toBe(0)
      expect(lockOf(project)).toEqual(whole)
    }
    rmSync(join(project.dir, 'tools'), { recursive: true })
    expect((await project.orla(['install', '--frozen', YES])).status).toBe(0)
  })

  it('that are uninstalled while something needs them are told of, then and later', async () => {
    const base = makeToolRepository('base', ['1.0.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:base>=1.0.0"]\n')
    const project = projectWith(['main', makeRegistry({ base, top })])
    await project.orla(['install', 'top', YES])
    expect(await problemsOf(project)).toBe('')
    const result = await project.orla(['uninstall', 'base'])
    expect([result.status, result.stderr]).toEqual([
      0,
      expect.stringMatching(/top 1\.0\.0 needs tool:base>=1\.0\.0/),
    ])
    expect(await problemsOf(project)).toMatch(/needs tool:base>=1\.0\.0, but it is not installed/)
  })
})

describe('orla install --link', () => {
  it('takes the place of an installed version, and gives it up again', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', 'fs', YES])
    cpSync(fs.dir, join(project.dir, 'mine'), { recursive: true })
    project.write({ 'mine/bin/fs': '#!/bin/sh\necho mine\n' })
    const dry = await project.orla(['install', '--local', 'mine', '--link', '--dry-run'])
    expect([dry.status, dry.stdout]).toEqual([0, expect.stringMatching(/reinstall {2}fs 1\.0\.0/)])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    expect((await project.orla(['install', '--local', 'mine', '--link'])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('mine\n')
    expect((await project.orla(['info', 'fs'])).stdout).toMatch(/from +\S+\/mine \(linked\)\n/)
    expect(lockOf(project).packages).toEqual([])
    expect((await project.orla(['install', 'fs', YES])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
    expect(readFileSync(join(project.dir, 'mine/bin/fs'), 'utf8')).toContain('mine')
  })

  it('refuses what it cannot link, and folders somebody made', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    fs.git('archive', '-o', 'fs.tar.gz', 'HEAD')
    const project = makeProject({ 'orla.yaml': '', 'tools/fs/1.0.0/tool.yaml': 'mine' })
    for (const how of [['--link'], []]) {
      const nothing = await project.orla(['install', ...how, '--local', 'nothing'])
      expect([nothing.status, nothing.stderr]).toEqual([4, expect.stringMatching(/there is nothing at/)])
    }
    const archive = await project.orla(['install', '--link', '--local', join(fs.dir, 'fs.tar.gz')])
    expect([archive.status, archive.stderr]).toEqual([2, expect.stringMatching(/is not a folder/)])
    const two = await project.orla(['install', '--link', '--local', fs.dir, 'other'])
    expect([two.status, two.stderr]).toEqual([2, expect.stringMatching(/other/)])
    const own = await project.orla(['install', '--link', '--local', fs.dir])
    expect([own.status, own.stderr]).toEqual([1, expect.stringMatching(/by hand/)])
    expect(readFileSync(join(project.dir, 'tools/fs/1.0.0/tool.yaml'), 'utf8')).toBe('mine')
  })
})

describe('orla uninstall', () => {
  it('removes nothing when one of the names is not there, and does not take latest for all', async () => {
    const fs = makeToolRepository('fs', ['1.0.0', '2.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    for (const tag of ['v1.0.0', 'v2.0.0']) await project.orla(['install', `fs@${tag}`, YES])
    const missing = await project.orla(['uninstall', 'fs', 'nope'])
    expect([missing.status, missing.stderr]).toEqual([4, expect.stringMatching(/nope/)])
    const latest = await project.orla(['uninstall', 'fs@latest'])
    expect([latest.status, latest.stderr]).toEqual([2, expect.stringMatching(/latest/)])
    expect(versionsIn(project, 'fs')).toEqual(['1.0.0', '2.0.0'])
  })

  it('removes what only orla.lock remembers', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = projectWith(['main', makeRegistry({ fs })])
    await project.orla(['install', 'fs', YES])
    rmSync(join(project.dir, 'tools'), { recursive: true })
    const result = await project.orla(['uninstall', 'fs'])
    expect([result.status, result.stdout]).toEqual([0, 'fs 1.0.0 removed\n'])
    expect(lockOf(project).packages).toEqual([])
  })
})

describe('registries', () => {
  it('an archive is of the version that was asked for, or refused', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    fs.git('archive', '-o', 'fs.tar.gz', 'HEAD')
    const archive = readFileSync(join(fs.dir, 'fs.tar.gz'))
    const web = createServer((_request, response) => response.end(archive))
    web.listen(0, '127.0.0.1')
    await once(web, 'listening')
    onTestFinished(() => void web.close())
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/fs.tar.gz` // a port was asked for
    const project = projectWith(['main', makeRegistry({ fs: url })])
    const wrong = await project.orla(['install', 'fs@v2.0.0', YES])
    expect([wrong.status, wrong.stderr]).toEqual([4, expect.stringMatching(/v2\.0\.0.*1\.0\.0/)])
    expect((await project.orla(['install', 'fs@v1.0.0', YES])).status).toBe(0)
    rmSync(join(project.dir, 'tools'), { recursive: true })
    expect((await project.orla(['install'])).status).toBe(0)
  })

  it('the same version from another repository is no moved tag', async () => {
    const one = makeToolRepository('same', ['1.0.0'])
    const two = makeToolRepository('same', ['1.0.0'], '# differs\n')
    const project = projectWith(['one', makeRegistry({ same: one })], ['two', makeRegistry({ same: two })])
    await project.orla(['install', 'one/same', YES])
    const result = await project.orla(['install', 'two/same@v1.0.0', YES])
    expect([result.status, result.stderr]).toEqual([1, expect.stringMatching(/another repository/)])
    expect(result.stderr).not.toMatch(/moved/)
  })

  it('Q55: a repository that refuses is not taken for one that is away', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    let isOpen = true
    const git = await serveGit(dirname(fs.dir), {
      before(_request, response) {
        if (!isOpen) response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end()
        return !isOpen
      },
    })
    onTestFinished(() => git.close())
    const project = projectWith(['main', makeRegistry({ fs: `${git.url}/${fs.dir.split('/').at(-1)}/.git` })])
    expect((await project.orla(['install', 'fs', YES])).status).toBe(0)
    isOpen = false
    const refused = await project.orla(['install', 'fs', '--force', YES])
    expect([refused.status, refused.stderr]).toEqual([1, expect.not.stringMatching(/cached/)])
    await git.close()
    const away = await project.orla(['install', 'fs', '--force', YES])
    expect([away.status, away.stderr]).toEqual([0, expect.stringMatching(/cannot be reached/)])
  })

  it('Q55: are asked again for a name they did not have, and a broken index does not replace a good one', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const later = makeToolRepository('later', ['1.0.0'])
    const registry = makeRegistry({ fs })
    const project = projectWith(['main', registry])
    await project.orla(['search', YES])
    const listed = readFileSync(join(registry.dir, 'registry.yaml'), 'utf8')
    registry.write({
      'registry.yaml': `${listed}  - {name: later, description: d, repository: "${later.dir}"}\n`,
    })
    registry.commit()
    expect((await project.orla(['install', 'later', '--offline', YES])).status).toBe(4)
    expect((await project.orla(['install', 'later', YES])).status).toBe(0)
    registry.write({ 'registry.yaml': 'tools: [\n' })
    registry.commit()
    const broken = await project.orla(['install', 'fs', '--refresh', YES])
    expect([broken.status, broken.stderr]).toEqual([0, expect.stringMatching(/broken/)])
    registry.write({ 'registry.yaml': listed.replace('The fs tool', 'Another word') })
    registry.commit()
    const index = join(project.env.ORLA_HOME ?? '', 'cache/index')
    for (const name of readdirSync(index).filter((one) => one.endsWith('.index'))) {
      const file = join(index, name)
      // Byte for byte: what follows the first line is no text.
      const cached = readFileSync(file, 'latin1')
      const later = cached.replace(/"fetched_at":"[^"]*"/, '"fetched_at":"2999-01-01T00:00:00.000Z"')
      expect(later).not.toBe(cached)
      writeFileSync(file, later, 'latin1')
    }
    expect((await project.orla(['search', 'fs'])).stdout).toContain('Another word')
  })
})
