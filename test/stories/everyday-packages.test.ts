import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { works } from './confinement-kit.ts'
import { makeProject, type Project } from './project.ts'

/** Starts packages as a newcomer does, and brings them here: some by a link, the others as a copy. */
async function started(project: Project, linked: readonly string[], copied: readonly string[]) {
  const cwd = join(project.dir, 'from')
  mkdirSync(cwd)
  for (const name of [...linked, ...copied]) {
    const kind = name.startsWith('capsule') ? ['--capsule', '--lang', 'python'] : []
    expect(await project.orla(['new', name, ...kind], { cwd })).toMatchObject({ status: 0 })
    const how = linked.includes(name) ? ['--link'] : []
    expect(await project.orla(['install', '--local', `from/${name}`, '--yes', ...how])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining(`Try it: orla call ${name} --arg name=VALUE\n`),
    })
  }
}

describe('packages as people have them', () => {
  it('Q85: installed and linked ones are tested by their names, capsules too', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    await started(project, ['plain-linked', 'capsule-linked'], ['plain', 'capsule'])
    const all = await project.orla(['test', '--all'])
    expect([all.stdout, all.status]).toEqual([expect.stringContaining('4 passed, 0 failed'), 0])
    for (const name of ['capsule-linked', 'capsule']) {
      expect(await project.orla(['test', name])).toMatchObject({ status: 0 })
    }
  })

  it('Q91: a home that is reached through a link is as good as any', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const [disk, home] = [join(project.dir, '../disk'), join(project.dir, '../link')]
    mkdirSync(disk)
    symlinkSync(disk, home)
    const there = { env: { ORLA_HOME: home }, cwd: join(project.dir, '..') }
    for (const [name, kind] of [
      ['plain', []],
      ['capsule', ['--capsule']],
    ] as const) {
      await project.orla(['new', name, ...kind], there)
      expect(await project.orla(['install', '--local', name, '--yes'], there)).toMatchObject({ status: 0 })
      expect(await project.orla(['call', name, '--arg', 'name=Ada'], there)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('Hello, Ada!'),
      })
    }
  })

  it('Q45, Q85: an environment of Python beside a package is nobody’s business', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['new', 'snake', '--lang', 'python'])
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(project.dir, 'snake/.venv')])
    for (const words of [
      ['validate', 'snake'],
      ['test', './snake'],
      ['pack', 'snake'],
      ['install', '--local', 'snake', '--link'],
      ['uninstall', 'snake'],
      ['install', '--local', 'snake', '--yes'],
    ]) {
      expect([words, await project.orla(words)]).toEqual([words, expect.objectContaining({ status: 0 })])
    }
    expect(existsSync(join(project.dir, 'tools/snake/0.1.0/bin/snake'))).toBe(true)
    expect(existsSync(join(project.dir, 'tools/snake/0.1.0/.venv'))).toBe(false)
  })

  it('a call without what the tool must be given says how to give it', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    await started(project, ['plain'], [])
    expect(await project.orla(['call', 'plain'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('hint: orla call plain --arg name=VALUE'),
    })
  })

  it.skipIf(!works('bwrap'))(
    'Q91: makes, changes and removes files in a folder that is no project yet',
    async () => {
      const project = makeProject({ 'old.txt': 'old\n', 'gone.txt': '', 'sub/file': '' })
      project.write({
        'from/writer/tool.yaml':
          'name: writer\nversion: 1.0.0\ndescription: Writes\nentrypoint: bin/run\npermissions: ["filesystem:write:./"]\n',
        'from/writer/bin/run':
          '#!/bin/sh\necho x > new.txt && echo more >> old.txt && rm gone.txt && mv sub/file moved && mkdir -p out && date > out/$$ && echo written\n',
      })
      await project.orla(['install', '--local', 'from/writer', '--yes'])
      const tier = { env: { ORLA_SANDBOX_TIER: 'bwrap' } }
      const { stdout } = await project.orla(['sandbox', 'explain', 'writer'], tier)
      expect(stdout).toContain('granted; what it makes directly in it is there when the call has ended')
      expect(await project.orla(['call', 'writer'], tier)).toMatchObject({
        status: 0,
        stdout: 'written\n',
        stderr: '',
      })
      const read = (name: string) => readFileSync(join(project.dir, name), 'utf8')
      expect([read('new.txt'), read('old.txt'), read('moved')]).toEqual(['x\n', 'old\nmore\n', ''])
      expect(readdirSync(join(project.dir, 'out'))).toHaveLength(1)
      expect(existsSync(join(project.dir, 'gone.txt'))).toBe(false)
    },
  )
})
