import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { makeProject, ok, type Project } from '../stories/project.ts'
import {
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  type Repository,
  registriesYaml,
} from '../stories/repositories.ts'
import { installs, refused } from './git-trap.ts'

const hasSshKeygen = spawnSync('ssh-keygen', ['-?']).error === undefined
if (!hasSshKeygen) console.warn('ssh-keygen is not installed (Debian: openssh-client): its tests are skipped')

/** Signs a version with a key of this machine, as its author would. */
async function release(
  machine: Project,
  repository: Repository,
  version: string,
  key?: string,
): Promise<void> {
  repository.write(packageFiles('fs', version))
  repository.commit()
  if (key === undefined) repository.git('tag', `v${version}`)
  else ok(await machine.orla(['publish', repository.dir, '--sign', key]))
}

/** Authors with a key each, and a person who has installed what the first one signed. */
async function scene(): Promise<{ authors: Project; fs: Repository; project: Project }> {
  const authors = makeProject()
  for (const name of ['ada', 'eve']) ok(await authors.orla(['keys', 'generate', name]))
  const fs = makeRepository()
  await release(authors, fs, '1.0.0', 'ada')
  const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
  await installs(project, 'fs')
  return { authors, fs, project }
}

const serves = async (project: Project) => (await project.orla(['call', 'fs'])).stdout

describe.skipIf(!hasSshKeygen)('a package that comes from other hands than before', () => {
  it('Q94: signed by another key is refused; by the same one it is taken', async () => {
    const { authors, fs, project } = await scene()
    await release(authors, fs, '1.1.0', 'ada')
    ok(await project.orla(['update', '--yes']))
    expect(await serves(project)).toBe('fs 1.1.0\n')
    await release(authors, fs, '1.2.0', 'eve')
    // To who has never seen it, it is as good as any.
    const newcomer = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(newcomer, 'fs')
    expect(await serves(newcomer)).toBe('fs 1.2.0\n')
    await refused(project.orla(['update', '--yes']), /another key than before[\s\S]*orla trust replace/)
    expect(await serves(project)).toBe('fs 1.1.0\n')
  })

  it('Q94: signed by nobody is refused where it was signed before', async () => {
    const { authors, fs, project } = await scene()
    await release(authors, fs, '1.1.0')
    const newcomer = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(newcomer, 'fs')
    await refused(project.orla(['update', '--yes']), /is not signed, but .* was signed before/)
    expect(await serves(project)).toBe('fs 1.0.0\n')
  })

  it('Q94: by another spelling of its address is still the same package', async () => {
    const { authors, fs } = await scene()
    const served = await serveGit(join(fs.dir, '..'))
    onTestFinished(() => served.close())
    const { url } = served
    const address = `${url}/${fs.dir.split('/').at(-1)}/.git`
    const project = makeProject({ 'orla.yaml': '' })
    await installs(project, `${address}#v1.0.0`)
    await release(authors, fs, '1.1.0', 'eve')
    for (const spelled of [
      `${address}/`,
      address.replace('http:', 'HTTP:'),
      address.replace('//', '//ada:pw@'),
    ])
      await refused(project.orla(['install', `${spelled}#v1.1.0`, '--yes']), /another key than before/)
    // A place of its own is another matter: nobody signed there before.
    await installs(makeProject({ 'orla.yaml': '' }), `${address}/#v1.1.0`)
  })
})

describe('a registry or repository that goes back', () => {
  it('Q65: offering an older version as the newest is refused; asked for by its tag it is taken', async () => {
    const fs = makeToolRepository('fs', ['1.0.0', '2.0.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(project, 'fs')
    fs.git('tag', '-d', 'v2.0.0')
    const newcomer = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(newcomer, 'fs')
    expect(await serves(newcomer)).toBe('fs 1.0.0\n')
    await refused(project.orla(['install', 'fs', '--yes']), /is 1\.0\.0 now, but orla\.lock has 2\.0\.0/)
    await refused(project.orla(['install', 'fs@latest', '--yes']), /--allow-downgrade/)
    expect(await serves(project)).toBe('fs 2.0.0\n')
    await installs(project, 'fs@v1.0.0')
  })

  it('Q89: moving a tag to other files is refused, with both commits', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(project, 'fs')
    const before = fs.git('rev-parse', 'v1.0.0')
    fs.write({ 'bin/fs': '#!/bin/sh\necho evil\n' })
    const after = fs.commit('v1.0.0')
    const newcomer = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
    await installs(newcomer, 'fs')
    expect(await serves(newcomer)).toBe('evil\n')
    const { status, stderr } = await project.orla(['install', 'fs@v1.0.0', '--force', '--yes'])
    expect([status, stderr]).toEqual([3, expect.stringContaining(before.slice(0, 12))])
    expect(stderr).toContain(after.slice(0, 12))
    expect(await serves(project)).toBe('fs 1.0.0\n')
  })
})
