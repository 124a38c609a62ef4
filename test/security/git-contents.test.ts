import { existsSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject } from '../stories/project.ts'
import { makeRepository, makeToolRepository, packageFiles } from '../stories/repositories.ts'
import { installs, makeTrap, refused } from './git-trap.ts'

const FILES = packageFiles('fs', '1.0.0')
const TOOL = 'tools/fs/1.0.0'

describe('a repository that makes git run something', () => {
  it('Q58: hooks from templates and from a folder of hooks: run by a clone, and not here', async () => {
    const trap = makeTrap('[init]\n\ttemplateDir = TRAP/template\n')
    const hooks = makeTrap('[core]\n\thooksPath = TRAP/hooks\n')
    const repository = makeToolRepository('fs', ['1.0.0'])
    for (const [place, one] of [
      ['template/hooks', trap],
      ['hooks', hooks],
    ] as const) {
      for (const name of ['post-checkout', 'reference-transaction', 'post-merge'])
        one.plant(`${place}/${name}`)
      await one.git('clone', repository.dir, 'copy')
      expect(one.sprung(), place).toBe(true)
      const project = makeProject({ 'orla.yaml': '' })
      await installs(
        { ...project, orla: (args) => project.orla(args, { env: one.env }) },
        `file://${repository.dir}`,
      )
      expect([existsSync(join(project.dir, TOOL)), one.sprung()], place).toEqual([true, false])
    }
  })

  it('Q58: a filter that attributes name: runs in a checkout, and files come as they are here', async () => {
    const trap = makeTrap('[filter "evil"]\n\tsmudge = TRAP/mark.sh\n\trequired = true\n')
    const repository = makeRepository({ ...FILES, '.gitattributes': '* filter=evil eol=crlf\n' })
    repository.commit('v1.0.0')
    await trap.git('clone', repository.dir, 'copy')
    expect(trap.sprung()).toBe(true)
    const project = makeProject({ 'orla.yaml': '' })
    await installs(
      { ...project, orla: (args) => project.orla(args, { env: trap.env }) },
      `file://${repository.dir}`,
    )
    expect(trap.sprung()).toBe(false)
    expect(readFileSync(join(project.dir, TOOL, 'bin/fs'), 'utf8')).toBe(FILES['bin/fs'])
  })

  it('Q89: a substitution that attributes ask for: made by an archive of git, and not here', async () => {
    const repository = makeRepository({
      ...FILES,
      '.gitattributes': 'note export-subst\n',
      note: '$Format:%an$\n',
    })
    repository.commit('v1.0.0')
    expect(repository.git('archive', 'HEAD', 'note')).toContain('Ada')
    const project = makeProject({ 'orla.yaml': '' })
    await installs(project, `file://${repository.dir}`)
    expect(readFileSync(join(project.dir, TOOL, 'note'), 'utf8')).toBe('$Format:%an$\n')
  })

  it('Q58: a submodule: what it names is run by a clone of everything, and the package is refused', async () => {
    const trap = makeTrap('[protocol "ext"]\n\tallow = always\n')
    const repository = makeRepository({
      ...FILES,
      '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ext::${trap.command}\n`,
    })
    const commit = repository.commit()
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`)
    repository.git('commit', '-qm', 'with a submodule')
    repository.git('tag', 'v1.0.0')
    await trap.git('clone', '--recurse-submodules', repository.dir, 'copy')
    expect(trap.sprung()).toBe(true)
    const project = makeProject({ 'orla.yaml': '' })
    await refused(
      project.orla(['install', `file://${repository.dir}`, '--yes'], { env: trap.env }),
      /submodule/,
    )
    expect([trap.sprung(), existsSync(join(project.dir, TOOL))]).toEqual([false, false])
  })

  it('Q58: a link that leaves the tree: followed in a clone, and the package is refused', async () => {
    const trap = makeTrap()
    writeFileSync(join(trap.folder, 'secret'), 'hunter2')
    const repository = makeRepository(FILES)
    symlinkSync(join(trap.folder, 'secret'), join(repository.dir, 'stolen'))
    repository.commit('v1.0.0')
    await trap.git('clone', repository.dir, 'copy')
    expect(readFileSync(join(trap.folder, 'copy/stolen'), 'utf8')).toBe('hunter2')
    const project = makeProject({ 'orla.yaml': '' })
    await refused(project.orla(['install', `file://${repository.dir}`, '--yes']), /"stolen"/)
    await refused(project.orla(['install', '--local', repository.dir, '--yes']), /stolen/)
    expect(lstatSync(join(project.dir, TOOL), { throwIfNoEntry: false })).toBeUndefined()
  })
})

describe('a repository on this machine, with a configuration of its own', () => {
  const KEYS = [
    'core.fsmonitor',
    'core.sshCommand',
    'core.alternateRefsCommand',
    'uploadpack.packObjectsHook',
  ]

  const PROGRAMS = ['filter.evil.clean', 'filter.evil.process', 'gpg.ssh.program', 'gpg.program']

  it('Q49: runs a program when git looks at it, and none when Orla reads, checks or publishes it', async () => {
    const trap = makeTrap()
    const repository = makeRepository({ ...FILES, '.gitattributes': '* filter=evil\n' })
    repository.commit('v1.0.0')
    for (const key of [...KEYS, ...PROGRAMS]) repository.git('config', key, trap.command)
    trap.plant(join('../', repository.dir.split('/').at(-1) ?? '', '.git/hooks/post-checkout'))
    const touched = () => writeFileSync(join(repository.dir, 'bin/fs'), FILES['bin/fs'] ?? '')
    touched()
    await trap.git('-C', repository.dir, 'status')
    expect(trap.sprung()).toBe(true)
    const project = makeProject({ 'orla.yaml': '' })
    await project.orla(['keys', 'generate', 'ada'])
    const commands: [readonly string[], number][] = [
      [['install', `file://${repository.dir}`, '--yes'], 0],
      [['install', '--local', repository.dir, '--yes'], 0],
      [['validate', repository.dir], 0],
      [['publish', repository.dir, '--dry-run'], 3],
      [['publish', repository.dir, '--sign', 'ada'], 3],
    ]
    for (const [args, status] of commands) {
      touched()
      const finished = await project.orla(args, { env: trap.env })
      expect([args, finished.status, finished.stderr, trap.sprung()]).toEqual([
        args,
        status,
        expect.stringMatching(status === 0 ? /^/ : /makes git run programs: .*filter\.evil\.clean/),
        false,
      ])
    }
    // What is left does not count for these, and without the rest it is published.
    for (const key of PROGRAMS) repository.git('config', '--unset', key)
    touched()
    const finished = await project.orla(['publish', repository.dir, '--sign', 'ada'], { env: trap.env })
    expect([finished.status, finished.stderr, trap.sprung()]).toEqual([0, expect.any(String), false])
  })
})

describe('a repository that lacks something', () => {
  it('Q49: has it fetched by a program that it names when git looks at it, and not by Orla', async () => {
    const trap = makeTrap()
    const repository = makeRepository(FILES)
    repository.commit('v1.0.0')
    const project = makeProject({ 'orla.yaml': '' })
    const publish = () => project.orla(['publish', repository.dir, '--dry-run'], { env: trap.env })
    expect((await publish()).status).toBe(0)
    const tree = repository.git('rev-parse', 'HEAD^{tree}')
    rmSync(join(repository.dir, '.git/objects', tree.slice(0, 2), tree.slice(2)))
    for (const [key, value] of Object.entries({
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': trap.folder,
      'remote.origin.uploadpack': trap.command,
    }))
      repository.git('config', key, value)
    await trap.git('-C', repository.dir, 'status')
    expect(trap.sprung()).toBe(true)
    await refused(publish(), /error: /)
    expect(trap.sprung()).toBe(false)
  })
})

describe('a tag', () => {
  it('Q89: that was copied to another name: good to git, and refused', async () => {
    const repository = makeToolRepository('fs', ['1.0.0'])
    repository.git('tag', '-f', '-a', 'v1.0.0', '-m', 'one')
    repository.write(packageFiles('fs', '2.0.0'))
    repository.git('update-ref', 'refs/tags/v2.0.0', repository.git('rev-parse', 'v1.0.0'))
    expect(repository.git('rev-parse', 'v2.0.0^{commit}')).toBe(
      repository.git('rev-parse', 'v1.0.0^{commit}'),
    )
    const project = makeProject({ 'orla.yaml': '' })
    await installs(project, `file://${repository.dir}#v1.0.0`)
    await refused(project.orla(['install', `file://${repository.dir}#v2.0.0`, '--yes']), /v1\.0\.0/)
    expect(existsSync(join(project.dir, 'tools/fs/2.0.0'))).toBe(false)
  })
})
