import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { localPackage } from './mcpkg-kit.ts'
import { makeProject, ok, type Project } from './project.ts'

const lockedIn = (project: Project, file: string): string[] =>
  JSON.parse(readFileSync(join(project.dir, file), 'utf8')).packages.map(
    ({ name, version }: { name: string; version: string }) => `${name} ${version}`,
  )

describe('.mcpkg packages without an orla.yaml', { timeout: 60_000 }, () => {
  it('Q104: each folder remembers its own, and a bare install restores them', async () => {
    const project = makeProject()
    const [one, two] = [join(project.dir, 'one'), join(project.dir, 'two')]
    for (const dir of [one, two]) mkdirSync(dir)
    const a = localPackage('acme.text.a', '1.0.0')
    const b = localPackage('acme.text.b', '1.0.0')
    ok(await project.orla(['install', '--local', a, '--yes'], { cwd: one }))
    ok(await project.orla(['install', '--local', b, '--yes'], { cwd: two }))
    expect(lockedIn(project, 'one/.mcp/orla.lock')).toEqual(['acme.text.a 1.0.0'])
    expect(lockedIn(project, 'two/.mcp/orla.lock')).toEqual(['acme.text.b 1.0.0'])
    expect(existsSync(join(project.env.ORLA_HOME ?? '', 'orla.lock'))).toBe(false)
    for (const name of ['tools', 'store']) rmSync(join(one, '.mcp', name), { recursive: true, force: true })
    ok(await project.orla(['install', '--yes'], { cwd: one }))
    expect(existsSync(join(one, '.mcp/tools/acme.text.a/manifest.json'))).toBe(true)
    expect(existsSync(join(one, '.mcp/tools/acme.text.b'))).toBe(false)
    // A folder that becomes a project keeps what it has.
    writeFileSync(join(one, 'orla.yaml'), '')
    rmSync(join(one, '.mcp/tools'), { recursive: true })
    ok(await project.orla(['install', '--yes'], { cwd: one }))
    expect(existsSync(join(one, '.mcp/tools/acme.text.a/manifest.json'))).toBe(true)
    ok(await project.orla(['uninstall', 'acme.text.b'], { cwd: two }))
    expect(existsSync(join(two, '.mcp/orla.lock'))).toBe(false)
  })

  it('an entry of the lock that all folders shared goes on counting where it is installed', async () => {
    const project = makeProject()
    const [one, two] = [join(project.dir, 'one'), join(project.dir, 'two')]
    for (const dir of [one, two]) mkdirSync(dir)
    const a = localPackage('acme.text.a', '1.0.0')
    ok(await project.orla(['install', '--local', a, '--yes'], { cwd: one }))
    const shared = join(project.env.ORLA_HOME ?? '', 'orla.lock')
    writeFileSync(shared, readFileSync(join(one, '.mcp/orla.lock')))
    rmSync(join(one, '.mcp/orla.lock'))
    ok(await project.orla(['install', '--frozen', '--yes'], { cwd: one }))
    expect((await project.orla(['install', '--yes'], { cwd: two })).status).toBe(2)
    ok(await project.orla(['uninstall', 'acme.text.a'], { cwd: one }))
    expect(JSON.parse(readFileSync(shared, 'utf8')).packages).toEqual([])
  })
})
