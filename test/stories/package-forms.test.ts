import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { makeProject } from './project.ts'
import {
  listTools,
  makeRegistry,
  makeRepository,
  makeToolRepository,
  packageFiles,
  registriesYaml,
} from './repositories.ts'

const YES = '--yes'

describe('what is asked for', () => {
  it('Q57: a path is not a name, and a path that leads nowhere is not found', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const path = await project.orla(['install', '/opt/fs'])
    expect([path.status, path.stderr]).toEqual([
      2,
      expect.stringMatching(/is a path[\s\S]*--local \/opt\/fs/),
    ])
    const missing = await project.orla(['install', '--local', 'nope'])
    expect([missing.status, missing.stderr]).toEqual([
      4,
      expect.stringMatching(/^error: there is nothing at/),
    ])
  })

  it('Q46: a program without a range is looked for, not run', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'bin/spy': '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n',
      ...Object.fromEntries(
        Object.entries(packageFiles('needy', '1.0.0', 'dependencies: [spy]\n')).map(([path, text]) => [
          `needy/${path}`,
          text,
        ]),
      ),
    })
    const env = { PATH: `${join(project.dir, 'bin')}:${project.env.PATH}` }
    expect((await project.orla(['install', '--local', 'needy', YES], { env })).status).toBe(0)
    expect(existsSync(join(project.dir, 'bin/ran'))).toBe(false)
    expect((await project.orla(['install', '--local', 'needy', '--force', YES])).stderr).toMatch(/spy/)
  })
})

it('a dry run leaves nothing in the project', async () => {
  const fs = makeToolRepository('fs', ['0.1.0'])
  const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs })]) })
  const { status, stdout } = await project.orla(['install', 'fs', '--dry-run', YES])
  expect([status, stdout]).toEqual([0, expect.stringMatching(/install {2}fs 0\.1\.0/)])
  expect(readdirSync(project.dir)).toEqual(['orla.yaml'])
})

describe('registries', () => {
  it('tell of a broken entry when they are read, and when the name that is asked for is missing', async () => {
    const fs = makeToolRepository('fs', ['0.1.0'])
    const registry = makeRepository()
    registry.write({
      'registry.yaml': `version: 1\nregistry_url: /x\ntools:\n  - {name: fs, description: d, repository: "${fs.dir}"}\n  - {name: broken, description: d}\n`,
    })
    registry.commit()
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    expect((await project.orla(['search', YES])).stderr).toMatch(/registry\.yaml:5/)
    expect((await project.orla(['search'])).stderr).toBe('')
    expect((await project.orla(['install', 'fs', YES])).stderr).not.toMatch(/registry\.yaml/)
    expect((await project.orla(['install', 'broken'])).stderr).toMatch(/registry\.yaml:5/)
  })

  it('elsewhere cannot name a path beside them', async () => {
    const registry = makeRepository()
    listTools(registry, { fs: '../fs' })
    const server = await serveGit(dirname(registry.dir))
    onTestFinished(() => server.close())
    const project = makeProject({
      'orla.yaml': `registries:\n  - {name: main, url: "${server.url}/${basename(registry.dir)}/.git"}\n`,
    })
    const { status, stderr } = await project.orla(['install', 'fs', YES])
    expect([status, stderr]).toEqual([2, expect.stringMatching(/"\.\.\/fs" is a relative path/)])
  })
})

it('Q67: a choice of version and a new registry at once are both kept', async () => {
  const versions = Object.fromEntries(
    ['1.0.0', '2.0.0'].flatMap((version) =>
      Object.entries(packageFiles('fs', version)).map(([path, text]) => [
        `tools/fs/${version}/${path}`,
        text,
      ]),
    ),
  )
  const project = makeProject({ 'orla.yaml': 'registries: []\n', ...versions })
  await Promise.all([
    project.orla(['use', 'fs@v1.0.0']),
    ...['a', 'b', 'c'].map((name) => project.orla(['registry', 'add', name, `/nowhere/${name}`])),
  ])
  const file = readFileSync(join(project.dir, 'orla.yaml'), 'utf8')
  for (const word of ['fs: 1.0.0', 'name: a', 'name: b', 'name: c']) expect(file).toContain(word)
})
