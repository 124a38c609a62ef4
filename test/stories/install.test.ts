import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHttp } from './clients.ts'
import { eventually, makeProject, type Project } from './project.ts'
import {
  listTools,
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  registriesYaml,
} from './repositories.ts'

const YES = ['--yes'] as const

async function installed(project: Project): Promise<Record<string, string>> {
  const { tools } = JSON.parse((await project.orla(['list', '--json'])).stdout) as {
    tools: { name: string; version: string }[]
  }
  return Object.fromEntries(tools.map(({ name, version }) => [name, version]))
}

function lockOf(project: Project): {
  packages: { name: string; version: string; pin: { commit?: string; tag?: string } }[]
} {
  return JSON.parse(readFileSync(join(project.dir, 'orla.lock'), 'utf8'))
}

describe('orla install', () => {
  it('Q57: takes registries and packages from a host that only hands out files', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const registry = makeRegistry({ fs: 'https://example.org/replaced' })
    const root = mkdtempSync(join(tmpdir(), 'orla-files-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const host = createServer((request, response) => {
      const file = join(root, (request.url ?? '').split('?')[0] ?? '')
      if (existsSync(file)) response.end(readFileSync(file))
      else response.writeHead(404).end()
    })
    onTestFinished(() => void host.close())
    await once(host.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}` // port 0 on an address gives one
    listTools(registry, { fs: `${url}/fs.git` })
    for (const [name, { dir }] of Object.entries({ fs, registry })) {
      execFileSync('git', ['clone', '--quiet', '--bare', dir, join(root, `${name}.git`)])
      execFileSync('git', ['-C', join(root, `${name}.git`), 'update-server-info'])
    }
    const project = makeProject({
      'orla.yaml': `registries: [{name: files, url: "${url}/registry.git"}]\n`,
    })
    const result = await project.orla(['install', 'fs', ...YES])
    expect([result.status, result.stderr]).toEqual([0, expect.not.stringContaining('dumb')])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.2.0\n')
    host.close()
    expect(await project.orla(['install', 'fs@v0.1.0', '--offline', ...YES])).toMatchObject({ status: 0 })
  })

  it('of a dozen packages says nothing that is not about them', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `pack-${index}`)
    const registry = makeRegistry(
      Object.fromEntries(names.map((name) => [name, makeToolRepository(name, ['1.0.0'])])),
    )
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    const { status, stderr } = await project.orla(['install', ...names, ...YES])
    expect(status).toBe(0)
    expect(stderr.split('\n').filter((line) => /Listeners|\(node|trace/.test(line))).toEqual([])
  })

  it('Q57, Q58, Q59, Q62: fetches, checks and installs into the project, and the tool answers', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    const result = await project.orla(['install', 'fs', ...YES])
    expect(result.stderr).not.toMatch(/error/)
    expect(result.status).toBe(0)
    expect(result.stdout).toMatch(/fs 0\.2\.0/)
    expect(existsSync(join(project.dir, 'tools/fs/0.2.0/tool.yaml'))).toBe(true)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.2.0\n')
    expect(lockOf(project).packages).toMatchObject([
      {
        name: 'fs',
        version: '0.2.0',
        pin: { kind: 'git', tag: 'v0.2.0', commit: fs.git('rev-parse', 'v0.2.0^{commit}') },
      },
    ])
    expect(readdirSync(join(project.dir, 'tools')).filter((name) => name.startsWith('.orla'))).toEqual([])
  })

  it('Q59: goes to the global folder when no orla.yaml governs', async () => {
    const registry = makeRegistry({ fs: makeToolRepository('fs', ['0.1.0']) })
    const project = makeProject()
    const result = await project.orla(['install', 'fs', '--registry', registry.dir, ...YES])
    expect(result.status).toBe(0)
    expect(existsSync(join(project.env.ORLA_HOME ?? '', 'tools/fs/0.1.0/tool.yaml'))).toBe(true)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
  })

  it.each([
    [['0.1.0', '0.10.0', '0.9.0'], 'fs', '0.10.0'],
    [['0.1.0', '1.0.0-rc.1'], 'fs', '0.1.0'],
    [['1.0.0-alpha', '1.0.0-rc.1', '1.0.0-beta.11'], 'fs', '1.0.0-rc.1'],
    [['0.1.0', '0.2.0'], 'fs@latest', '0.2.0'],
    [['0.1.0', '0.2.0'], 'fs@v0.1.0', '0.1.0'],
    [['0.1.0', '1.0.0-rc.1'], 'fs@v1.0.0-rc.1', '1.0.0-rc.1'],
  ])('Q53, Q64, Q65, Q66: of the tags %j, %s means %s', async (versions, spec, expected) => {
    const fs = makeToolRepository('fs', versions)
    fs.git('tag', 'nightly')
    fs.git('tag', 'v9')
    fs.git('tag', '9.0.0')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    expect((await project.orla(['install', spec, ...YES])).status).toBe(0)
    expect(await installed(project)).toEqual({ fs: expected })
  })

  it.each([
    ['fs@0.1.0', 2, /fs@v0\.1\.0/],
    ['fs@v9.9.9', 4, /v9\.9\.9/],
    ['fz', 4, /did you mean `fs`/],
    ['../fs', 2, /--local/],
    ['-rf', 2, /./],
    ['fs\u001b[2J', 2, /./],
    ['FS', 2, /lower/i],
    ['other/fs', 4, /other/],
  ])('refuses %j with status %i and a way out', async (spec, status, message) => {
    const project = makeProject({
      'orla.yaml': registriesYaml(['main', makeRegistry({ fs: makeToolRepository('fs', ['0.1.0']) })]),
    })
    const result = await project.orla(['install', ...YES, '--', spec])
    expect([result.status, result.stderr]).toEqual([status, expect.stringMatching(message)])
    expect(result.stderr).not.toContain('\u001b')
    expect(existsSync(join(project.dir, 'orla.lock'))).toBe(false)
  })

  it('Q58: refuses a tag that does not equal the version, and a name that is not the registry’s', async () => {
    const wrongTag = makeRepository(packageFiles('a', '0.1.0'))
    wrongTag.commit('v0.2.0')
    const wrongName = makeRepository(packageFiles('other', '0.1.0'))
    wrongName.commit('v0.1.0')
    const project = makeProject({
      'orla.yaml': registriesYaml(['main', makeRegistry({ a: wrongTag, b: wrongName })]),
    })
    expect((await project.orla(['install', 'a', ...YES])).stderr).toMatch(/v0\.2\.0.*0\.1\.0/s)
    expect((await project.orla(['install', 'b', ...YES])).stderr).toMatch(/other/)
    expect(existsSync(join(project.dir, 'tools/a'))).toBe(false)
  })

  it('Q67: keeps versions beside each other, the newest serves, and one can be chosen', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const project = makeProject({ 'orla.yaml': `# mine\n${registriesYaml(['main', makeRegistry({ fs })])}` })
    for (const tag of ['v0.2.0', 'v0.1.0']) await project.orla(['install', `fs@${tag}`, ...YES])
    expect(await installed(project)).toEqual({ fs: '0.2.0' })
    expect((await project.orla(['list'])).stdout).toMatch(/0\.1\.0/)
    expect((await project.orla(['use', 'fs@v0.1.0'])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toMatch(
      /^# mine\n[\s\S]*versions:\n\s+fs: "?0\.1\.0/,
    )
    expect((await project.orla(['use', 'fs@v3.0.0'])).status).toBe(4)
    expect((await project.orla(['call', 'fs@v0.2.0'])).stdout).toBe('fs 0.2.0\n')
  })

  it('Q60: a running server offers it at once, and drops it when it goes', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    const server = await project.serve()
    const client = await connectHttp('v2-legacy', server.url)
    expect(await client.list()).toEqual([])
    await project.orla(['install', 'fs@v0.1.0', ...YES])
    await eventually(() => client.changes() > 0, 'list_changed')
    expect((await client.list()).map(({ name, description }) => [name, description])).toEqual([
      ['fs', 'Says fs'],
    ])
    expect((await client.call('fs')).content[0]?.text).toBe('fs 0.1.0\n')
    const before = client.changes()
    await project.orla(['update', ...YES])
    await eventually(() => client.changes() > before, 'list_changed after the update')
    await client.list()
    expect((await client.call('fs')).content[0]?.text).toBe('fs 0.2.0\n')
    const then = client.changes()
    expect((await project.orla(['uninstall', 'fs'])).status).toBe(0)
    await eventually(() => client.changes() > then, 'list_changed after the removal')
    expect(await client.list()).toEqual([])
  })

  it('Q37, Q83: takes a folder, archives and a git URL', async () => {
    const source = makeRepository(packageFiles('loc', '1.2.3'))
    source.commit('v1.2.3')
    const tar = join(source.dir, '../loc.tar.gz')
    const zip = join(source.dir, '../loc.zip')
    source.git('archive', '--prefix=loc-1.2.3/', '-o', tar, 'HEAD')
    source.git('archive', '-o', zip, 'HEAD')
    for (const args of [
      ['--local', source.dir],
      ['--local', tar],
      ['--local', zip],
      [`file://${source.dir}`],
      [`file://${source.dir}#v1.2.3`],
    ]) {
      const project = makeProject({ 'orla.yaml': '' })
      const result = await project.orla(['install', ...args, ...YES])
      expect([args, result.status, result.stderr]).toEqual([args, 0, expect.anything()])
      expect((await project.orla(['call', 'loc'])).stdout).toBe('loc 1.2.3\n')
      expect(existsSync(join(project.dir, 'tools/loc/1.2.3/.git'))).toBe(false)
    }
    rmSync(tar)
    rmSync(zip)
  })

  it('--link keeps a development folder in place', async () => {
    const source = makeRepository(packageFiles('dev', '0.1.0'))
    const project = makeProject({ 'orla.yaml': '' })
    expect((await project.orla(['install', '--local', source.dir, '--link', ...YES])).status).toBe(0)
    expect((await project.orla(['call', 'dev'])).stdout).toBe('dev 0.1.0\n')
    source.write({ 'bin/dev': '#!/bin/sh\necho edited\n' })
    expect((await project.orla(['call', 'dev'])).stdout).toBe('edited\n')
    expect((await project.orla(['uninstall', 'dev'])).status).toBe(0)
    expect(existsSync(join(source.dir, 'tool.yaml'))).toBe(true)
  })

  it('restores orla.lock exactly, and --frozen changes nothing', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const http = makeToolRepository('http', ['1.0.0'])
    const registry = makeRegistry({ fs, http })
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    await project.orla(['install', 'fs', 'http', ...YES])
    const lock = readFileSync(join(project.dir, 'orla.lock'), 'utf8')
    fs.write(packageFiles('fs', '0.9.0'))
    fs.commit('v0.9.0')
    rmSync(join(project.dir, 'tools'), { recursive: true })
    expect((await project.orla(['install', ...YES])).status).toBe(0)
    expect(await installed(project)).toEqual({ fs: '0.1.0', http: '1.0.0' })
    expect(readFileSync(join(project.dir, 'orla.lock'), 'utf8')).toBe(lock)
    const frozen = await project.orla(['install', 'fs', '--frozen', ...YES])
    expect(frozen.status).toBe(3)
    expect(readFileSync(join(project.dir, 'orla.lock'), 'utf8')).toBe(lock)
    expect((await project.orla(['install', '--frozen', ...YES])).status).toBe(0)
  })

  it('a tag that moved is an error with both commits', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs', ...YES])
    const before = fs.git('rev-parse', 'HEAD')
    fs.write({ 'bin/fs': '#!/bin/sh\necho evil\n' })
    const after = fs.commit('v0.1.0')
    const moved = await project.orla(['install', 'fs@v0.1.0', '--force', ...YES])
    expect(moved.status).toBe(3)
    expect(moved.stderr).toContain(before.slice(0, 12))
    expect(moved.stderr).toContain(after.slice(0, 12))
    fs.write(packageFiles('fs', '0.2.0'))
    const elsewhere = fs.commit('v0.1.0')
    const other = await project.orla(['install', 'fs@v0.1.0', ...YES])
    expect([other.status, other.stderr]).toEqual([3, expect.stringContaining(elsewhere)])
    rmSync(join(project.dir, 'tools'), { recursive: true })
    rmSync(join(project.env.ORLA_HOME ?? '', 'cache'), { recursive: true })
    expect((await project.orla(['install', ...YES])).status).toBe(3)
  })

  it('Q55: needs no network for what is cached, and --offline never touches it', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const registry = makeRegistry({ fs })
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    await project.orla(['install', 'fs', ...YES])
    renameSync(fs.dir, `${fs.dir}.gone`)
    renameSync(registry.dir, `${registry.dir}.gone`)
    try {
      rmSync(join(project.dir, 'tools'), { recursive: true })
      expect((await project.orla(['install', ...YES])).status).toBe(0)
      expect((await project.orla(['install', 'fs@v0.1.0', '--offline', ...YES])).status).toBe(0)
      const stale = await project.orla(['install', 'fs', '--refresh', '--force', ...YES])
      expect([stale.status, stale.stderr]).toEqual([0, expect.stringMatching(/cannot be reached|cached/)])
      const absent = await project.orla(['install', 'nothere', '--offline', ...YES])
      expect(absent.status).toBe(4)
    } finally {
      renameSync(`${fs.dir}.gone`, fs.dir)
      renameSync(`${registry.dir}.gone`, registry.dir)
    }
    expect((await project.orla(['cache', 'dir'])).stdout.trim()).toBe(
      join(project.env.ORLA_HOME ?? '', 'cache'),
    )
    expect((await project.orla(['cache', 'clear'])).status).toBe(0)
    expect((await project.orla(['install', 'fs', '--offline', '--force', ...YES])).status).not.toBe(0)
  })

  it('Q55: a registry on this machine is read again once a commit was made there, and not before', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const registry = makeRegistry({ fs })
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    const found = async (...more: string[]) => {
      const { stdout, stderr } = await project.orla(['search', '--json', ...YES, ...more])
      const { results } = JSON.parse(stdout) as { results: { name: string }[] } // Orla wrote it
      return { names: results.map(({ name }) => name).sort(), stderr }
    }
    const longAgo = Date.now() / 1000 - 60
    for (const name of ['HEAD', 'refs/heads/main'])
      utimesSync(join(registry.dir, '.git', name), longAgo, longAgo)
    expect((await found()).names).toEqual(['fs'])
    listTools(registry, { fs, git: makeToolRepository('git', ['0.1.0']) })
    expect((await found()).names).toEqual(['fs', 'git'])
    for (const name of ['HEAD', 'refs/heads/main'])
      utimesSync(join(registry.dir, '.git', name), longAgo, longAgo)
    renameSync(join(registry.dir, '.git/objects'), join(registry.dir, '.git/elsewhere'))
    expect(await found()).toEqual({ names: ['fs', 'git'], stderr: '' })
    expect((await found('--refresh')).stderr).not.toBe('')
  })

  it('asks registries in order, says when two have a name, and takes registry/NAME', async () => {
    const one = makeToolRepository('fs', ['1.0.0'])
    const two = makeToolRepository('fs', ['2.0.0'])
    const project = makeProject({
      'orla.yaml': registriesYaml(['one', makeRegistry({ fs: one })], ['two', makeRegistry({ fs: two })]),
    })
    const first = await project.orla(['install', 'fs', ...YES])
    expect(first.stderr).toMatch(/also in .*two/)
    expect(await installed(project)).toEqual({ fs: '1.0.0' })
    await project.orla(['install', 'two/fs', ...YES])
    expect(await installed(project)).toEqual({ fs: '2.0.0' })
  })

  it('Q56, Q90: without a terminal refuses an untrusted registry and permissions, until --yes', async () => {
    const fs = makeToolRepository(
      'fs',
      ['0.1.0'],
      'permissions:\n  - filesystem:read:./data\n  - network:example.com\n',
    )
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    const refused = await project.orla(['install', 'fs'])
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringMatching(/--yes/)])
    expect(existsSync(join(project.dir, 'tools/fs'))).toBe(false)
    const plan = await project.orla(['install', 'fs', '--dry-run', ...YES])
    expect(plan.stdout).toMatch(/filesystem:read:\.\/data/)
    expect(plan.stdout).toMatch(/network:example\.com/)
    expect(existsSync(join(project.dir, 'tools/fs'))).toBe(false)
    expect((await project.orla(['install', 'fs', ...YES])).status).toBe(0)
    // The registry is trusted now, and the same permissions were accepted.
    expect((await project.orla(['install', 'fs', '--force'])).status).toBe(0)
  })

  it('an update that adds a permission asks again', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'], 'permissions: [network]\n')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs', ...YES])
    fs.write(packageFiles('fs', '0.2.0', 'permissions: [network]\n'))
    fs.commit('v0.2.0')
    expect((await project.orla(['update', 'fs'])).status).toBe(0)
    fs.write(packageFiles('fs', '0.3.0', 'permissions: [network, "env:HOME_DIR"]\n'))
    fs.commit('v0.3.0')
    const refused = await project.orla(['update', 'fs'])
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringMatching(/env:HOME_DIR/)])
    expect(await installed(project)).toEqual({ fs: '0.2.0' })
  })

  it('checks dependencies before anything is stored, and brings tools along', async () => {
    const base = makeToolRepository('base', ['0.1.0', '0.3.0'])
    const top = makeToolRepository('top', ['1.0.0'], 'dependencies: ["tool:base>=0.2.0", "sh", "node>=18"]\n')
    const needy = makeToolRepository(
      'needy',
      ['1.0.0'],
      'dependencies: ["no-such-program-xyz", "node>=999"]\n',
    )
    const ouro = makeToolRepository('ouro', ['1.0.0'], 'dependencies: ["tool:boros"]\n')
    const boros = makeToolRepository('boros', ['1.0.0'], 'dependencies: ["tool:ouro"]\n')
    const project = makeProject({
      'orla.yaml': registriesYaml(['main', makeRegistry({ base, top, needy, ouro, boros })]),
    })
    expect((await project.orla(['install', 'top', ...YES])).status).toBe(0)
    expect(await installed(project)).toEqual({ base: '0.3.0', top: '1.0.0' })
    const missing = await project.orla(['install', 'needy', ...YES])
    expect(missing.status).toBe(1)
    expect(missing.stderr).toMatch(/no-such-program-xyz/)
    expect(missing.stderr).toMatch(/node>=999/)
    expect(existsSync(join(project.dir, 'tools/needy'))).toBe(false)
    expect((await project.orla(['install', 'ouro', ...YES])).stderr).toMatch(/ouro.*boros.*ouro/s)
  })

  it('Q61: runs a post-install hook only after consent, and undoes the install when it fails', async () => {
    const hooked = makeRepository({
      ...packageFiles('hooked', '1.0.0', 'hooks: {post_install: setup.sh}\n'),
      'setup.sh': '#!/bin/sh\ntouch made\n',
    })
    hooked.commit('v1.0.0')
    const broken = makeRepository({
      ...packageFiles('broken', '1.0.0', 'hooks: {post_install: setup.sh}\n'),
      'setup.sh': '#!/bin/sh\necho no >&2; exit 3\n',
    })
    broken.commit('v1.0.0')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ hooked, broken })]) })
    expect((await project.orla(['install', 'hooked', '--registry', 'x'])).status).not.toBe(0)
    expect((await project.orla(['install', 'hooked', ...YES])).status).toBe(0)
    expect(existsSync(join(project.dir, 'tools/hooked/1.0.0/made'))).toBe(true)
    const failed = await project.orla(['install', 'broken', ...YES])
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringMatching(/setup\.sh.*3/s)])
    expect(existsSync(join(project.dir, 'tools/broken'))).toBe(false)
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['hooked'])
  })

  it('installs several at once, and one that fails leaves the others', async () => {
    const tools = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name) => [name, makeToolRepository(name, ['1.0.0'])]),
    )
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry(tools)]) })
    const result = await project.orla(['install', 'a', 'b', 'c', 'd', 'e', '--json', ...YES])
    expect(
      JSON.parse(result.stdout)
        .installed.map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(Object.keys(await installed(project))).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('two at once: both succeed, and nothing is lost', async () => {
    const tools = Object.fromEntries(
      ['a', 'b', 'c', 'd'].map((name) => [name, makeToolRepository(name, ['1.0.0'])]),
    )
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry(tools)]) })
    await project.orla(['install', 'a', ...YES])
    const results = await Promise.all(
      [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'd'],
        ['a', 'd'],
      ].map((names) => project.orla(['install', ...names, '--force', ...YES])),
    )
    expect(results.map(({ status }) => status)).toEqual([0, 0, 0, 0])
    expect(Object.keys(await installed(project))).toEqual(['a', 'b', 'c', 'd'])
    expect(lockOf(project).packages.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })
})

describe('a first use of git', () => {
  it('Q49: takes scp-style and other addresses as git does, and refuses dangerous ones', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    for (const url of [
      'ext::sh -c touch% /tmp/pwned',
      'http://example.org/x.git',
      '--upload-pack=touch pwned',
    ]) {
      const result = await project.orla(['install', ...YES, '--', url])
      expect(result.status).not.toBe(0)
    }
    expect(existsSync(join(project.dir, 'pwned'))).toBe(false)
    expect(existsSync('/tmp/pwned')).toBe(false)
  })

  it('refuses submodules and links that leave the package', async () => {
    const evil = makeRepository(packageFiles('evil', '1.0.0'))
    execFileSync('ln', ['-s', '/etc/passwd', join(evil.dir, 'link')])
    evil.commit('v1.0.0')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ evil })]) })
    expect((await project.orla(['install', 'evil', ...YES])).stderr).toMatch(/link/)
    expect(existsSync(join(project.dir, 'tools/evil'))).toBe(false)
    listTools(makeRepository(), {})
  })
})
