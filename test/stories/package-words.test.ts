import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { makeProject, type Project } from './project.ts'
import {
  listTools,
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  registriesYaml,
} from './repositories.ts'
import { canMount, fillDisk, mountSmallDisk } from './small-disk.ts'
import { openTerminal } from './terminal.ts'

const YES = '--yes'

describe('questions', () => {
  it('are asked one after another: one yes trusts one registry', async () => {
    const [one, two] = [makeRegistry({}), makeRegistry({})]
    const project = makeProject({ 'orla.yaml': registriesYaml(['one', one], ['two', two]) })
    const terminal = openTerminal(project, ['search'])
    await terminal.shows('Trust it?')
    expect(terminal.screen()).not.toContain(two.dir)
    terminal.type('y\n')
    await terminal.shows('Trust it?', 2)
    terminal.type('n\n')
    await terminal.ended
    expect(trusted(project)).toEqual([one.dir])
  })

  it.each([
    ['Ctrl-C interrupts', '\u0003', 130, /interrupted/],
    ['Ctrl-D is a no', '\u0004', 3, /not trusted/],
  ])('%s', async (_what, key, status, words) => {
    const project = makeProject({ 'orla.yaml': registriesYaml(['one', makeRegistry({})]) })
    const terminal = openTerminal(project, ['search'])
    await terminal.shows('Trust it?')
    terminal.type(key)
    expect(await terminal.ended).toBe(status)
    expect(terminal.screen()).toMatch(words)
    expect(terminal.screen()).not.toMatch(/bug:|AbortError/)
    expect(trusted(project)).toEqual([])
  })

  it('Ctrl-C ends the command, not one question of several', async () => {
    const [one, two, three] = [makeRegistry({}), makeRegistry({}), makeRegistry({})]
    const project = makeProject({
      'orla.yaml': registriesYaml(['one', one], ['two', two], ['three', three]),
    })
    const terminal = openTerminal(project, ['search'])
    await terminal.shows('Trust it?')
    terminal.type('y\n')
    await terminal.shows('Trust it?', 2)
    terminal.type('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen()).not.toContain(three.dir)
    expect(trusted(project)).toEqual([one.dir])
  })

  it('a dry run stores no trust', async () => {
    const registry = makeRegistry({ fs: makeToolRepository('fs', ['0.1.0']) })
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    expect((await project.orla(['install', 'fs', '--dry-run', YES])).status).toBe(0)
    expect(trusted(project)).toEqual([])
  })
})

describe('passwords in addresses', () => {
  const PASSWORD = 'hunter2-S3CRET'

  it('Q94: of a registry open it, and are neither printed nor written', async () => {
    const { project, server, address } = await privateRegistry()
    project.write({ 'orla.yaml': `registries:\n  - {name: team, url: "${address}"}\n` })
    const outputs: string[] = []
    const run = async (...args: string[]) => {
      const { status, stdout, stderr } = await project.orla(args)
      outputs.push(stdout, stderr)
      expect([args, status, stderr]).toEqual([args, 0, expect.anything()])
    }
    const terminal = openTerminal(project, ['search'])
    await terminal.shows('Trust it?')
    terminal.type('n\n')
    await terminal.ended
    outputs.push(terminal.screen(), (await project.orla(['search'])).stderr)
    await run('install', 'fs', YES)
    await run('install', 'fs', '--dry-run', '--json')
    await run('search', '--json')
    await run('info', 'fs', '--json')
    await run('registry', 'list')
    await run('registry', 'list', '--json')
    await run('config')
    await run('config', '--json')
    expect(outputs.join('\n')).not.toContain(PASSWORD)
    expect(server.seen).toContain(`bob:${PASSWORD}`)
    rmSync(join(project.dir, 'orla.yaml'))
    expect(filesWith(PASSWORD, project)).toBe('')
  })

  it('Q94: given for one command are as safe, also when it fails', async () => {
    const { project, address } = await privateRegistry()
    const done = await project.orla(['install', 'fs', YES, '--registry', address])
    const wrong = address.replace(PASSWORD, `${PASSWORD}-wrong`)
    const failed = await project.orla(['search', '--refresh', YES, '--registry', wrong])
    expect([done.status, done.stderr]).toEqual([0, expect.anything()])
    expect(done.stdout + done.stderr + failed.stdout + failed.stderr).not.toContain(PASSWORD)
    expect(filesWith(PASSWORD, project)).toBe('')
  })

  it('Q94: are not kept by registry add, neither the new one nor those of the layer below', async () => {
    const { project, address } = await privateRegistry()
    mkdirSync(homeOf(project), { recursive: true })
    writeFileSync(
      join(homeOf(project), 'config.yaml'),
      `registries:\n  - {name: below, url: "http://ann:below-S3CRET@127.0.0.1:9/r"}\n`,
    )
    project.write({ 'orla.yaml': '' })
    const added = await project.orla(['registry', 'add', 'team', address])
    expect([added.status, added.stderr]).toEqual([0, expect.stringMatching(/ORLA_REGISTRY_TOKEN_TEAM/)])
    expect(added.stdout + added.stderr).not.toContain(PASSWORD)
    const file = readFileSync(join(project.dir, 'orla.yaml'), 'utf8')
    expect(file).toMatch(/below[\s\S]*team/)
    expect(file).not.toMatch(/S3CRET/)
  })

  it('are not part of an entry that orla publish or registry add-tool writes', async () => {
    const { project, tool } = await privateRegistry()
    const repository = makeRepository(packageFiles('pub', '1.0.0'))
    repository.commit()
    repository.git('remote', 'add', 'origin', `https://bob:${PASSWORD}@git.example.com/pub`)
    const published = await project.orla(['publish', repository.dir, '--dry-run'])
    expect(published.stdout).toContain('repository: https://git.example.com/pub\n')
    await project.orla(['registry', 'init', 'reg'])
    const added = await project.orla(['registry', 'add-tool', 'reg', tool])
    expect([added.status, added.stderr]).toEqual([0, expect.anything()])
    expect(readFileSync(join(project.dir, 'reg/registry.yaml'), 'utf8')).not.toContain(PASSWORD)
  })

  async function privateRegistry() {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const server = await serveGit(dirname(fs.dir), { password: PASSWORD })
    onTestFinished(() => server.close())
    const registry = makeRepository()
    listTools(registry, { fs: `${server.url}/${basename(fs.dir)}/.git` })
    const [address = '', tool = ''] = [registry, fs].map(({ dir }) =>
      `${server.url}/${basename(dir)}/.git`.replace('//', `//bob:${PASSWORD}@`),
    )
    return { project: makeProject({ 'orla.yaml': 'registries: []\n' }), server, address, tool }
  }
})

describe('orla info', () => {
  it('Q94: --offline asks nobody and tells what is cached; a repository that is gone does not hide the entry', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await project.orla(['install', 'fs@v0.1.0', YES])
    fs.write(packageFiles('fs', '0.3.0'))
    fs.commit('v0.3.0')
    const info = async (...args: string[]) => {
      const { stdout, stderr } = await project.orla(['info', ...args, '--json'])
      return { ...JSON.parse(stdout), stderr }
    }
    expect(await info('fs', '--offline')).toMatchObject({ available: ['0.2.0', '0.1.0'], stderr: '' })
    rmSync(fs.dir, { recursive: true })
    expect(await info('fs')).toMatchObject({
      registry: 'main',
      repository: fs.dir,
      available: ['0.2.0', '0.1.0'],
      stderr: expect.stringMatching(/cached/),
    })
    await project.orla(['cache', 'clear'])
    await project.orla(['search'])
    expect(await info('fs')).toMatchObject({ registry: 'main', repository: fs.dir, available: [] })
  })

  it('takes the registry that was named, asks no archive for tags, and lists versions only', async () => {
    const same = makeToolRepository('same', ['1.0.0'])
    same.git('tag', 'v2.not-a-version')
    same.git('tag', 'v1.0')
    const one = makeRegistry({ same: '/nowhere/same' })
    const two = makeRegistry({ same, zipped: 'https://files.example.com/zipped.zip' })
    const project = makeProject({ 'orla.yaml': registriesYaml(['one', one], ['two', two]) })
    const named = await project.orla(['info', 'two/same', '--json', YES])
    expect(JSON.parse(named.stdout)).toMatchObject({
      registry: 'two',
      repository: same.dir,
      available: ['1.0.0'],
    })
    const zipped = await project.orla(['info', 'two/zipped', '--json'])
    expect([JSON.parse(zipped.stdout), zipped.stderr]).toMatchObject([
      { registry: 'two', repository: 'https://files.example.com/zipped.zip', available: [] },
      '',
    ])
    expect((await project.orla(['info', 'nobody/same'])).status).toBe(4)
  })
})

describe('what packages see before they are called', () => {
  it('a hook gets harmless variables only', async () => {
    const project = makeProject({
      'orla.yaml': '',
      ...below('hooked', {
        ...packageFiles('hooked', '1.0.0', 'hooks: {post_install: setup.sh}\n'),
        'setup.sh':
          '#!/bin/sh\n[ -n "$PATH" ] && [ -z "$CLOUD_KEY" ] || { echo "key: $CLOUD_KEY" >&2; exit 1; }\n',
      }),
    })
    const { status, stderr } = await project.orla(['install', '--local', 'hooked', YES], {
      env: { CLOUD_KEY: 'k3y' },
    })
    expect([status, stderr]).toEqual([0, expect.not.stringContaining('k3y')])
  })

  it('Q46: a program is asked for its version without secrets', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'bin/spy':
        '#!/bin/sh\necho "spy 1.2.3 $ORLA_REGISTRY_TOKEN_MAIN$CLOUD_KEY"\nenv > "$(dirname "$0")/seen"\n',
      ...below('needy', packageFiles('needy', '1.0.0', 'dependencies: ["spy>=1.0"]\n')),
    })
    const env = {
      PATH: `${join(project.dir, 'bin')}:${project.env.PATH}`,
      ORLA_REGISTRY_TOKEN_MAIN: 't0ken',
      CLOUD_KEY: 'k3y',
    }
    const { status, stderr } = await project.orla(['install', '--local', 'needy', YES], { env })
    expect([status, stderr]).toEqual([0, expect.anything()])
    expect(readFileSync(join(project.dir, 'bin/seen'), 'utf8')).not.toMatch(/t0ken|k3y/)
  })
})

describe('paths', () => {
  it('--registry takes one from the working directory; a relative repository is beside its registry', async () => {
    const project = makeProject({ 'orla.yaml': 'registries: []\n' })
    const fs = makeToolRepository('fs', ['0.1.0'])
    const registry = makeRegistry({ fs: `../${basename(fs.dir)}` })
    const cwd = dirname(registry.dir)
    const given = `./${basename(registry.dir)}`
    const config = join(project.dir, 'orla.yaml')
    const result = await project.orla(['install', 'fs', YES, '--registry', given, '--config', config], {
      cwd,
    })
    expect([result.status, result.stderr]).toEqual([0, expect.anything()])
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 0.1.0\n')
    const elsewhere = await project.orla(['install', 'fs', '--force', YES, '--registry', registry.dir])
    expect([elsewhere.status, elsewhere.stderr]).toEqual([0, expect.anything()])
  })
})

describe('registry add', () => {
  it('loses none of several at once', async () => {
    const project = makeProject({ 'orla.yaml': '# mine\nport:   1   # here\nregistries: []\n' })
    const names = ['a', 'b', 'c', 'd', 'e']
    const registries = names.map(() => makeRegistry({}))
    const added = await Promise.all(
      names.map((name, at) => project.orla(['registry', 'add', name, registries[at]?.dir ?? ''])),
    )
    expect(added.map(({ status }) => status)).toEqual(names.map(() => 0))
    const { stdout } = await project.orla(['registry', 'list', '--json'])
    const listed = JSON.parse(stdout).registries as { name: string; trusted: boolean }[]
    expect(listed.map(({ name, trusted: yes }) => `${name} ${yes}`).sort()).toEqual(
      names.map((name) => `${name} true`),
    )
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toMatch(/^# mine\nport: {3}1 {3}# here\n/)
  })

  it('says when the place cannot be read', async () => {
    const project = makeProject({ 'orla.yaml': 'registries: []\n' })
    const { status, stderr } = await project.orla(['registry', 'add', 'away', '/nowhere/registry'])
    expect([status, stderr]).toEqual([0, expect.stringMatching(/warning: it cannot be read now/)])
  })
})

describe.skipIf(!canMount())('on a full disk (needs to mount a small one; skipped without the right)', () => {
  it.each([
    ['registry add', ['registry', 'add', 'team', '/nowhere']],
    ['use', ['use', 'fs@v0.1.0']],
  ])('orla %s says so and changes nothing', async (_what, args) => {
    const project = makeProject()
    mountSmallDisk(project.dir)
    project.write({ 'orla.yaml': 'registries: []\n' })
    for (const version of ['0.1.0', '0.2.0'])
      project.write(below(`tools/fs/${version}`, packageFiles('fs', version)))
    fillDisk(project.dir)
    const { status, stderr } = await project.orla(args)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: cannot write .*: the disk is full/)])
    expect(readFileSync(join(project.dir, 'orla.yaml'), 'utf8')).toBe('registries: []\n')
  })
})

describe('words and figures', () => {
  it('a terminal that does not know its width gets whole lines', async () => {
    const project = makeProject({ 'tools/hello': '#!/bin/sh\n# Greets someone\necho hello\n' })
    // Behind a pipe `script` opens a terminal of 0 columns.
    const terminal = openTerminal(project, ['list'])
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen()).toMatch(/hello .*Greets someone/)
    expect(terminal.screen()).not.toContain('…')
  })

  it('JSON keys have one style', async () => {
    const lib = makeToolRepository('lib', ['1.0.0'])
    const app = makeToolRepository('app', ['1.0.0'], 'dependencies: ["tool:lib"]\npermissions: [network]\n')
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ app, lib })]) })
    const { stdout } = await project.orla(['install', 'app', '--dry-run', '--json', YES])
    const planned = JSON.parse(stdout).planned as { name: string }[]
    expect(planned.sort((a, b) => (a.name < b.name ? -1 : 1))).toMatchObject([
      { name: 'app', required_by: null, new_permissions: ['network'] },
      { name: 'lib', required_by: 'app', new_permissions: ['filesystem:write:./'] },
    ])
    expect(stdout).not.toMatch(/"[a-z]+[A-Z]\w*":/)
    expect(JSON.parse((await project.orla(['cache', 'dir', '--json'])).stdout)).toEqual({
      dir: join(homeOf(project), 'cache'),
    })
  })

  it('a package of every project is not "not installed" in a project', async () => {
    const project = makeProject({
      'orla.yaml': '',
      ...below('lone', packageFiles('lone', '1.0.0', 'permissions: []\n')),
    })
    expect((await project.orla(['install', '--local', 'lone', '--global'])).status).toBe(0)
    expect(existsSync(join(homeOf(project), 'tools/lone/1.0.0'))).toBe(true)
    for (const command of ['uninstall', 'update', 'outdated']) {
      const { status, stderr } = await project.orla([command, 'lone'])
      expect([command, status, stderr]).toEqual([
        command,
        4,
        expect.stringMatching(/installed for every project[\s\S]*--global/),
      ])
    }
    expect((await project.orla(['outdated'])).stderr).toMatch(/every project: lone/)
    expect((await project.orla(['uninstall', 'nothere'])).stderr).toMatch(/nothere is not installed/)
    expect((await project.orla(['uninstall', 'lone', '--global'])).stdout).toBe('lone 1.0.0 removed\n')
    expect((await project.orla(['update', '--global', '--config', 'orla.yaml'])).status).toBe(2)
  })

  it('orla list says where a link leads', async () => {
    const project = makeProject({ 'orla.yaml': '', ...below('mine', packageFiles('mine', '1.0.0')) })
    expect((await project.orla(['install', '--local', 'mine', '--link'])).status).toBe(0)
    expect((await project.orla(['list'])).stdout).toMatch(/ mine \(linked\)/)
  })

  it('orla search says what nothing fits', async () => {
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({})]) })
    expect((await project.orla(['search', YES])).stderr).toBe('The registries list nothing.\n')
    const { stderr } = await project.orla(['search', 'fish', '--keyword', 'Web'])
    expect(stderr).toBe('Nothing fits "fish" --keyword Web.\n')
  })

  it.each([
    ['## 11.0.0\n', 1],
    ['## 1.0.0-rc.1\n', 1],
    ['## 1.0.0.1\n', 1],
    ['## v1.0.0 - today\n', 0],
    ['Since [1.0.0].\n', 0],
    ['As of 1.0.0.\n', 0],
  ])('orla publish of 1.0.0 with a changelog that says %j: %i', async (changelog, status) => {
    const repository = makeRepository({ ...packageFiles('pub', '1.0.0'), 'CHANGELOG.md': changelog })
    repository.commit()
    expect((await makeProject().orla(['publish', repository.dir, '--dry-run'])).status).toBe(status)
  })
})

function homeOf(project: Project): string {
  return project.env.ORLA_HOME ?? ''
}

function trusted(project: Project): string[] {
  const file = join(homeOf(project), 'trusted-registries.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).registries : []
}

function filesWith(text: string, project: Project): string {
  return spawnSync('grep', ['-rl', text, join(project.dir, '..')], { encoding: 'utf8' }).stdout
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}
