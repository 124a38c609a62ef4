import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { connectStdio } from './clients.ts'
import { eventually, makeProject, ok, type Project } from './project.ts'
import { makeRegistry, makeToolRepository, type Repository, registriesYaml } from './repositories.ts'

const VERSIONS = ['0.1.0', '0.2.0', '0.10.0', '1.0.0-rc.1']

function projectWith(files: Readonly<Record<string, string>> = {}): { project: Project; fs: Repository } {
  const fs = makeToolRepository('fs', VERSIONS)
  const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]), ...files })
  return { project, fs }
}

async function install(project: Project, ...words: string[]): Promise<string> {
  const finished = await project.orla(['install', '--yes', ...words])
  expect([finished.status, finished.stderr]).toEqual([0, expect.any(String)])
  return finished.stderr
}

describe('which version serves', () => {
  it('Q67: an install that changes nothing for callers says so, and what would', async () => {
    const { project } = projectWith()
    expect(await install(project, 'fs')).toMatch(/Try it: /)
    const older = await install(project, 'fs@v0.2.0')
    expect(older).toMatch(
      /fs 0\.10\.0 still serves, because it is newer; `orla use fs@v0\.2\.0` changes that/,
    )
    expect(older).not.toMatch(/Try it/)
    expect(await install(project, 'fs@v1.0.0-rc.1')).toMatch(/fs 0\.10\.0 still serves, because it is stable/)
    ok(await project.orla(['use', 'fs@v0.2.0']))
    expect(await install(project, 'fs@latest')).toMatch(/fs 0\.2\.0 still serves, because it was chosen/)
    expect(await install(project), 'a restore asks for no version').not.toMatch(/still serves/)
    expect(ok(await project.orla(['call', 'fs']))).toBe('fs 0.2.0\n')
  })

  it('Q67: rollback goes to the stable version before, and not to one that is named', async () => {
    const { project, fs } = projectWith()
    await install(project, 'fs', 'fs@v1.0.0-rc.1', 'fs@v0.1.0')
    fs.write({ 'tool.yaml': 'name: fs\nversion: 1.1.0\ndescription: d\nentrypoint: bin/fs\n' })
    fs.commit('v1.1.0')
    ok(await project.orla(['update', '--yes']))
    const named = await project.orla(['rollback', 'fs@v0.1.0'])
    expect([named.status, named.stderr]).toEqual([2, expect.stringContaining('`orla use fs@v0.1.0`')])
    expect(ok(await project.orla(['rollback', 'fs']))).toMatch(/^fs 0\.10\.0 serves/)
    expect(ok(await project.orla(['rollback', 'fs']))).toMatch(/^fs 0\.1\.0 serves/)
  })

  it('Q84: update and outdated take names, and say what to type for a version', async () => {
    const { project } = projectWith()
    await install(project, 'fs@v0.1.0')
    for (const command of ['update', 'outdated']) {
      const { status, stderr } = await project.orla([command, 'fs@v0.2.0'])
      expect([status, stderr]).toEqual([2, expect.stringContaining('`orla install fs@v1.0.0`')])
      expect((await project.orla([command, 'main/fs'])).stderr).toContain('`orla list` shows')
    }
  })

  it('Q65, Q84: versions are told newest first', async () => {
    const { project } = projectWith()
    await install(project, ...VERSIONS.map((version) => `fs@v${version}`))
    const order = /1\.0\.0-rc\.1, v?0\.10\.0, v?0\.2\.0, v?0\.1\.0/
    expect((await project.orla(['install', 'fs@v9.0.0'])).stderr).toMatch(order)
    expect((await project.orla(['uninstall', 'fs@v9.0.0'])).stderr).toMatch(order)
    const { packages } = JSON.parse(ok(await project.orla(['list', '--json']))) as {
      packages: { version: string }[]
    }
    expect(packages.map(({ version }) => version).join(', ')).toMatch(order)
    expect((await project.orla(['install', 'fs@V0.1.0'])).stderr).toMatch(/write v0\.1\.0/)
  })

  it('Q60: a running server obeys `orla use` and `orla rollback` without a project, too', async () => {
    const fs = makeToolRepository('fs', ['0.1.0', '0.2.0'])
    const project = makeProject()
    for (const tag of ['v0.1.0', 'v0.2.0']) await install(project, `file://${fs.dir}#${tag}`)
    const client = await connectStdio('v1', project)
    const says = async () => {
      await client.list()
      return (await client.call('fs')).content[0]?.text
    }
    expect(await says()).toBe('fs 0.2.0\n')
    ok(await project.orla(['rollback', 'fs']))
    await eventually(async () => (await says()) === 'fs 0.1.0\n', 'the version before')
    ok(await project.orla(['use', 'fs@v0.2.0']))
    await eventually(async () => (await says()) === 'fs 0.2.0\n', 'the chosen one')
  })

  it('Q84: what could not be asked is not called up to date', async () => {
    const { project, fs } = projectWith()
    await install(project, 'fs')
    expect(JSON.parse(ok(await project.orla(['outdated', '--json'])))).toEqual({ outdated: [], unasked: [] })
    rmSync(join(fs.dir, '.git'), { recursive: true })
    for (const command of ['outdated', 'update']) {
      const { status, stdout } = await project.orla([command])
      expect([status, stdout]).toEqual([1, 'Nothing newer was found; unknown: fs\n'])
      const json = await project.orla([command, '--json'])
      expect([json.status, JSON.parse(json.stdout)]).toEqual([
        1,
        expect.objectContaining({ outdated: [], unasked: [{ name: 'fs', reason: expect.any(String) }] }),
      ])
    }
  })
})
