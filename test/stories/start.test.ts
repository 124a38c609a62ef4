import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeProject, type Project } from './project.ts'
import { listTools, makeRepository, makeToolRepository, registriesYaml } from './repositories.ts'

const YES = '--yes'

/** The chunks whose code a command kept: all that it had loaded. */
function loadedBy(project: Project, command: string): string[] {
  const code = join(project.env.ORLA_HOME ?? '', 'cache/code')
  return readdirSync(code).flatMap((version) => readdirSync(join(code, version, command)))
}

describe('an ordinary command', () => {
  it('loads nothing that is seldom needed; `npm run record-chunks` when it does', async () => {
    const registry = makeRepository()
    const fs = makeToolRepository('fs', ['0.1.0'])
    listTools(registry, { fs: fs.dir })
    const project = makeProject({
      'orla.yaml': registriesYaml(['main', registry]),
      'tools/a.sh': '#!/bin/sh\necho a\n',
    })
    expect(await project.orla(['install', 'fs', YES])).toMatchObject({ status: 0 })
    rmSync(join(project.dir, 'tools/fs'), { recursive: true })
    rmSync(join(project.env.ORLA_HOME ?? '', 'cache/code'), { recursive: true })
    expect(await project.orla(['install', 'fs', YES, '--offline'])).toMatchObject({ status: 0 })
    expect(await project.orla(['list'])).toMatchObject({ status: 0 })
    const seldom = (names: string[]) =>
      names.filter((name) => !/^(main|recording|start|core|shared|running|install|rolldown)-/.test(name))
    expect(seldom(loadedBy(project, 'install'))).toEqual([])
    expect(seldom(loadedBy(project, 'list'))).toEqual([])
  })
})

describe('the code that commands keep', () => {
  function codeOf({ env }: Project): string {
    return join(env.ORLA_HOME ?? '', 'cache/code')
  }

  it('goes with versions that were not used for long', async () => {
    const project = makeProject({ 'tools/a.sh': '#!/bin/sh\necho a\n' })
    const aYearAgo = Date.now() / 1000 - 365 * 24 * 3600
    for (const version of ['0.0.1-old', '0.0.2-new'])
      mkdirSync(join(codeOf(project), version, 'list'), { recursive: true })
    utimesSync(join(codeOf(project), '0.0.1-old'), aYearAgo, aYearAgo)
    expect(await project.orla(['list'])).toMatchObject({ status: 0 })
    expect(readdirSync(codeOf(project))).toEqual(['0.0.2-new', expect.stringMatching(/^\d+\.\d+\.\d+-v\d+/)])
  })

  it('leaves nothing half written where it cannot be put in its place', async () => {
    const project = makeProject({ 'tools/a.sh': '#!/bin/sh\necho a\n' })
    expect(await project.orla(['list'])).toMatchObject({ status: 0 })
    const [version = ''] = readdirSync(codeOf(project))
    const place = join(codeOf(project), version, 'list')
    for (const name of readdirSync(place)) {
      rmSync(join(place, name))
      mkdirSync(join(place, name, 'in the way'), { recursive: true })
    }
    const before = readdirSync(place)
    expect(await project.orla(['list'])).toMatchObject({ status: 0 })
    expect(readdirSync(place)).toEqual(before)
  })
})
