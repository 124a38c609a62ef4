import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, ok } from './project.ts'
import { makeRegistry, makeRepository, makeToolRepository, packageFiles } from './repositories.ts'

const LOCAL = { 'orla.yaml': '' }

describe('a word that is no installed package', () => {
  it.each([
    ['uninstall', '../x', /`orla list` shows what is installed/],
    ['uninstall', 'https://example.com/x', /`orla list` shows what is installed/],
    ['use', '../x@1', /"\.\.\/x@1" is a path.*\n.*`orla list` shows what is installed/],
    ['rollback', '../..', /`orla list` shows what is installed/],
    ['revoke', './x', /`orla list` shows what is installed/],
    ['info', './x', /`orla validate PATH` looks at a folder/],
  ])('orla %s %s does not send anyone to --local', async (command, word, hint) => {
    const { status, stderr } = await makeProject(LOCAL).orla([command, word])
    expect([status, stderr]).toEqual([2, expect.stringMatching(hint)])
    expect(stderr).not.toContain('--local')
  })

  it('orla rollback says that nothing is installed, and orla info that a tool is no package', async () => {
    const project = makeProject({ ...LOCAL, 'tools/say.sh': '#!/bin/sh\necho hi\n' })
    const rolled = await project.orla(['rollback', 'fs'])
    expect([rolled.status, rolled.stderr]).toEqual([4, expect.stringContaining('fs is not installed')])
    const told = await project.orla(['info', 'say', '--offline'])
    expect([told.status, told.stderr]).toEqual([4, expect.stringContaining('is a tool of this project')])
  })
})

describe('where something is missing', () => {
  it('orla install without a word tells that there is no lock, or that it lists nothing', async () => {
    const project = makeProject(LOCAL)
    expect((await project.orla(['install'])).stderr).toMatch(/there is no \S+orla\.lock/)
    project.write({ 'orla.lock': '{"v": 1, "packages": []}' })
    expect((await project.orla(['install', '--frozen'])).stderr).toMatch(/orla\.lock lists nothing/)
  })

  it('a path without a repository is not taken for a private one', async () => {
    const project = makeProject(LOCAL)
    const { status, stderr } = await project.orla(['install', `file://${project.dir}/none`, '--yes'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/there is no git repository\n hint: check the path/),
    ])
  })

  it('all registries that cannot be read are told, not only one of them', async () => {
    const project = makeProject({
      'orla.yaml': 'registries:\n  - {name: one, url: ./one}\n  - {name: two, url: ./two}\n',
    })
    const { status, stderr } = await project.orla(['search', 'fs', '--yes'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^warning: .*\/one[\s\S]*^error: .*\/two/m)])
  })

  it('a name is looked for in all registries before one that is away is the error', async () => {
    const good = makeRegistry({ fs: makeToolRepository('fs', ['1.0.0']) })
    const project = makeProject({
      'orla.yaml': `registries:\n  - {name: away, url: ./none}\n  - {name: good, url: ${good.dir}}\n`,
    })
    const { status, stderr } = await project.orla(['install', 'nope', '--yes'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: there is no package `nope` in good\n +away could not be asked: .*\/none: .*\n hint: check the path.*\n$/,
      ),
    ])
    const installed = await project.orla(['install', 'fs', '--yes'])
    expect([installed.status, installed.stderr.match(/\/none/g)]).toEqual([0, ['/none']])
  })

  it('one that is away is told once, whoever wants to know what is in it', async () => {
    const project = makeProject({
      'orla.yaml': 'registries:\n  - {name: one, url: ./one}\n  - {name: two, url: ./two}\n',
    })
    for (const args of [
      ['install', 'fs', 'http', '--yes'],
      ['info', 'fs', '--yes'],
      ['search', 'fs', '--yes'],
    ]) {
      const { status, stderr } = await project.orla(args)
      const told = ['one', 'two'].map((name) => stderr.split(`/${name}: `).length - 1)
      expect([args[0], status, told]).toEqual([args[0], 1, [1, 1]])
      expect(stderr).not.toContain('there is no package')
    }
  })

  it.runIf(existsSync('/proc/self'))(
    'a home where no folders can be made is an error, not a wait',
    async () => {
      const registry = makeRegistry({ fs: makeToolRepository('fs', ['1.0.0']) })
      const project = makeProject({ ...LOCAL, 'tools/say.sh': '#!/bin/sh\necho hi\n' })
      const env = { ORLA_HOME: '/proc/orla/home' }
      expect(ok(await project.orla(['list'], { env }))).toContain('say')
      expect(ok(await project.orla(['call', 'say'], { env }))).toBe('hi\n')
      for (const args of [
        ['install', 'fs', '--registry', registry.dir, '--yes'],
        ['keys', 'generate'],
      ]) {
        const { status, stderr } = await project.orla(args, { env })
        expect([status, stderr]).toEqual([
          1,
          expect.stringMatching(/no folders can be made there\n hint: .*ORLA_HOME/),
        ])
      }
    },
  )

  it('a home below a file is an error like others', async () => {
    const project = makeProject({ file: '' })
    const env = { ORLA_HOME: join(project.dir, 'file/home') }
    const cleared = await project.orla(['cache', 'clear'], { env })
    expect([cleared.status, cleared.stderr]).toEqual([1, expect.stringMatching(/^error: .*is not a folder/)])
    expect((await project.orla(['secret', 'list'], { env })).stderr).toMatch(/^No secrets are stored/)
  })
})

describe('what an author reads', () => {
  it('orla publish says how to begin with git, and where to push without a remote', async () => {
    const project = makeProject({ ...LOCAL, ...packageFiles('fs', '1.0.0') })
    const early = await project.orla(['publish'])
    expect([early.status, early.stderr]).toEqual([
      1,
      expect.stringMatching(/hint: .*git init, git add -A, git commit/),
    ])
    const repository = makeRepository(packageFiles('fs', '1.0.0'))
    repository.commit()
    const published = await project.orla(['publish', repository.dir])
    expect(published.stderr).toContain('Push it: git remote add origin URL, then git push origin v1.0.0')
    repository.git('remote', 'add', 'origin', 'https://git.example.com/fs')
    expect((await project.orla(['publish', repository.dir])).stderr).toContain(
      'Push it: git push origin v1.0.0',
    )
  })

  it('orla new tells the language, and orla install --link that the folder itself serves', async () => {
    const project = makeProject(LOCAL)
    for (const [lang, words] of [
      ['sh', 'shell'],
      ['python', 'python'],
      ['node', 'javascript'],
    ] as const) {
      ok(await project.orla(['new', `say-${lang}`, '--lang', lang]))
      ok(await project.orla(['install', '--local', `say-${lang}`, '--link']))
      const info = JSON.parse(ok(await project.orla(['info', `say-${lang}`, '--offline', '--json'])))
      expect(info.installed[0].manifest.language).toBe(words)
    }
    const linked = ok(await project.orla(['install', '--local', 'say-sh', '--link']))
    expect(linked).toBe(`say-sh 0.1.0 linked: it is served from ${join(project.dir, 'say-sh')}\n`)
  })

  it('orla validate does not say of a link in bin/ that it is not there', async () => {
    const project = makeProject(packageFiles('fs', '1.0.0'))
    rmSync(join(project.dir, 'bin/fs'))
    symlinkSync('/bin/ls', join(project.dir, 'bin/fs'))
    const { problems } = JSON.parse((await project.orla(['validate', '--json'])).stdout)
    expect(problems).toEqual([expect.objectContaining({ message: '"bin/fs" is a link to an absolute path' })])
  })
})

it('a tool without a version has a - wherever people read, and 0.0.0 in every JSON', async () => {
  const project = makeProject({ ...LOCAL, 'tools/say.sh': '#!/bin/sh\necho hi\n' })
  ok(await project.orla(['call', 'say']))
  for (const command of ['list', 'stats', 'rank']) {
    expect(ok(await project.orla([command]))).not.toContain('0.0.0')
    const { tools } = JSON.parse(ok(await project.orla([command, '--json'])))
    expect(tools).toEqual([expect.objectContaining({ version: '0.0.0' })])
  }
})
