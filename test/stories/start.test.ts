import { readdirSync, rmSync } from 'node:fs'
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
      names.filter((name) => !/^(main|start|core|shared|running|install|rolldown)-/.test(name))
    expect(seldom(loadedBy(project, 'install'))).toEqual([])
    expect(seldom(loadedBy(project, 'list'))).toEqual([])
  })
})
