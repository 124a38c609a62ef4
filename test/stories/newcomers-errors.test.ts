import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, ok } from './project.ts'
import {
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  registriesYaml,
} from './repositories.ts'
import { canMount, fillDisk, mountSmallDisk } from './small-disk.ts'

const POINTER = 'version https://git-lfs.example.org/spec/v1\noid sha256:0\nsize 1\n'

describe('errors a newcomer meets', () => {
  it('Q56: `orla registry add` trusts a registry that the project brought along', async () => {
    const registry = makeRegistry({ fs: makeToolRepository('fs', ['1.0.0']) })
    const project = makeProject({ 'orla.yaml': registriesYaml(['team', registry]) })
    const refused = await project.orla(['install', 'fs'])
    expect([refused.status, refused.stderr]).toEqual([3, expect.stringContaining('`orla registry add`')])
    const asked = await project.orla(['info', 'fs'])
    expect([asked.status, asked.stderr]).toEqual([3, expect.stringContaining('--yes trusts it')])
    const added = ok(await project.orla(['registry', 'add', 'team', registry.dir]))
    expect(added).toBe('team was there already; it is trusted now\n')
    expect((await project.orla(['registry', 'add', 'team', registry.dir])).status).toBe(2)
    expect((await project.orla(['info', 'fs'])).status).toBe(0)
  })

  it('Q94: one address has one name, and a name one address', async () => {
    const registry = makeRegistry({})
    const project = makeProject({ 'orla.yaml': registriesYaml(['team', registry]) })
    const twice = await project.orla(['registry', 'add', 'again', registry.dir])
    expect([twice.status, twice.stderr]).toEqual([
      2,
      expect.stringContaining('is the registry `team` already'),
    ])
    const other = await project.orla(['registry', 'add', 'team', makeRegistry({}).dir])
    expect([other.status, other.stderr]).toEqual([2, expect.stringContaining('`orla registry remove team`')])
  })

  it('Q36: an archive without a manifest is called by its own name, not by where it was unpacked', async () => {
    const project = makeProject({ 'orla.yaml': '', 'empty/readme.txt': 'x' })
    execFileSync('tar', [
      '-czf',
      join(project.dir, 'x.tar.gz'),
      '-C',
      join(project.dir, 'empty'),
      'readme.txt',
    ])
    const { status, stderr } = await project.orla(['install', '--local', 'x.tar.gz'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/x\.tar\.gz is not a package[^\n]*\n +has neither/),
    ])
    expect(stderr).not.toMatch(/staging/)
  })

  it('Q45: an entrypoint that is a Git LFS pointer is no program', async () => {
    const lfs = makeRepository({ ...packageFiles('lfs', '1.0.0'), 'bin/lfs': POINTER })
    chmodSync(join(lfs.dir, 'bin/lfs'), 0o755)
    lfs.commit('v1.0.0')
    const project = makeProject({ 'orla.yaml': '' })
    const { status, stderr } = await project.orla(['install', '--yes', `file://${lfs.dir}`])
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/tool\.yaml:4:13: .*bin\/lfs.*Git LFS pointer/),
    ])
    expect((await project.orla(['validate', lfs.dir])).stdout).toMatch(/Git LFS pointer/)
  })

  it('Q66: a tag behind an @ of an address gets the address to type', async () => {
    const fs = makeToolRepository('fs', ['1.0.0'])
    const project = makeProject({ 'orla.yaml': '' })
    for (const [tag, typed] of [
      ['v1.0.0', `file://${fs.dir}#v1.0.0`],
      ['latest', `file://${fs.dir}`],
    ] as const) {
      const { stderr } = await project.orla(['install', '--yes', `file://${fs.dir}@${tag}`])
      expect(stderr).toContain(`hint: type ${typed}\n`)
      expect((await project.orla(['install', '--yes', typed])).status).toBe(0)
    }
  })

  it('Q94: what two installs have put into orla.lock one restore brings back', async () => {
    const base = makeToolRepository('base', ['0.1.0', '0.4.0'])
    const old = makeToolRepository('old', ['1.0.0'], 'dependencies: ["tool:base<0.2.0"]\n')
    const young = makeToolRepository('young', ['1.0.0'], 'dependencies: ["tool:base>=0.2.0"]\n')
    const project = makeProject({ 'orla.yaml': registriesYaml(['team', makeRegistry({ base, old, young })]) })
    const both = await project.orla(['install', '--yes', 'young', 'old'])
    expect([both.status, both.stderr]).toEqual([1, expect.stringMatching(/no version of base fits/)])
    ok(await project.orla(['install', '--yes', 'young']))
    const second = await project.orla(['install', '--yes', 'old'])
    expect([second.status, second.stderr]).toEqual([0, expect.stringMatching(/base 0\.4\.0 still serves/)])
    rmSync(join(project.dir, 'tools'), { recursive: true })
    expect(ok(await project.orla(['install', '--frozen', '--yes']))).toMatch(
      /base 0\.1\.0 [\s\S]*base 0\.4\.0 /,
    )
  })

  it.skipIf(!canMount())('a full home is told as a full disk, by install and by a first call', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const [fs, http] = [makeToolRepository('fs', ['1.0.0']), makeToolRepository('http', ['1.0.0'])]
    const home = project.env.ORLA_HOME ?? ''
    ok(await project.orla(['install', '--yes', `file://${fs.dir}`]))
    const small = join(home, 'cache/git')
    mkdirSync(small, { recursive: true })
    mountSmallDisk(small)
    fillDisk(small)
    const full = await project.orla(['install', '--yes', `file://${http.dir}`])
    expect([full.status, full.stderr]).toEqual([
      1,
      expect.stringMatching(/the disk is full\n hint: free some space/),
    ])
    mkdirSync(join(home, 'run'), { recursive: true })
    mountSmallDisk(join(home, 'run'))
    fillDisk(join(home, 'run'))
    const called = await project.orla(['call', 'fs'])
    // Where nothing needs a file there, as without a sandbox, it just runs.
    if (called.status !== 0)
      expect(called.stderr).toMatch(/cannot start: cannot prepare its sandbox: the disk is full/)
  })
})
