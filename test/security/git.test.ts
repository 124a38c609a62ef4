import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveGit } from '../git-kit.ts'
import { makeProject } from '../stories/project.ts'
import { makeRegistry, makeToolRepository, registriesYaml } from '../stories/repositories.ts'
import { installs, makeTrap, refused, type Trap } from './git-trap.ts'

/** Everything an address can come from: the command line, a registry that is added, one that names it. */
async function refusedEverywhere(trap: Trap, address: string, words: RegExp): Promise<void> {
  const registry = makeRegistry({ fs: JSON.stringify(address) })
  const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
  const options = { env: trap.env }
  await Promise.all([
    refused(project.orla(['install', '--yes', '--', address], options), words),
    refused(project.orla(['registry', 'add', '--', 'other', address], options), words),
    refused(project.orla(['install', 'fs', '--yes'], options), words),
  ])
  project.write({ 'orla.yaml': `registries:\n  - {name: main, url: ${JSON.stringify(address)}}\n` })
  await refused(project.orla(['install', 'fs', '--yes'], options), words)
  expect([trap.sprung(), existsSync(join(project.dir, 'tools'))]).toEqual([false, false])
}

describe('an address that is a command', () => {
  it('Q49: ext:: runs a program in a git that lets it, and is refused', async () => {
    const trap = makeTrap('[protocol "ext"]\n\tallow = always\n')
    const address = `ext::${trap.command}`
    await trap.git('clone', address, 'copy')
    expect(trap.sprung()).toBe(true)
    await refusedEverywhere(trap, address, /would run a program on this machine|remote helpers such as ext::/)
  })

  it('Q49: an option in its place runs a program, and is refused', async () => {
    const trap = makeTrap()
    const address = `--upload-pack=${trap.command}`
    const repository = makeToolRepository('fs', ['1.0.0'])
    await trap.git('ls-remote', address, repository.dir)
    expect(trap.sprung()).toBe(true)
    await refusedEverywhere(trap, address, /looks like an option|cannot be/)
  })

  it('Q49: a host that is an option of ssh runs a program, and is refused', async () => {
    const trap = makeTrap()
    const option = `-oProxyCommand=${trap.command}`
    spawnSync('ssh', [option, 'nowhere.invalid'], { input: '', timeout: 10_000 })
    expect(trap.sprung()).toBe(true)
    await refusedEverywhere(trap, `ssh://${option}/fs`, /looks like an option|is not an/)
    await refusedEverywhere(trap, `${option}:fs`, /looks like an option|is not an|cannot be/)
  })

  it('Q58: a tag that is an option runs a program, and is refused', async () => {
    const trap = makeTrap()
    const option = `--upload-pack=${trap.command}`
    const repository = makeToolRepository('fs', ['1.0.0'])
    await trap.git('init', '-q', 'copy')
    await trap.git('-C', 'copy', 'fetch', repository.dir, option)
    expect(trap.sprung()).toBe(true)
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', makeRegistry({ fs: repository })]) })
    await installs(project, `file://${repository.dir}#v1.0.0`)
    for (const word of [`file://${repository.dir}#${option}`, `fs@${option}`, `${option}@v1.0.0`])
      await refused(project.orla(['install', '--yes', '--', word], { env: trap.env }), /cannot be/)
    expect(trap.sprung()).toBe(false)
  })
})

describe('a way that is not safe', () => {
  it('Q49: plain http reaches another host by git, and by Orla this machine only', async () => {
    const trap = makeTrap()
    const repository = makeToolRepository('fs', ['1.0.0'])
    const served = await serveGit(join(repository.dir, '..'))
    onTestFinished(() => served.close())
    const { url, seen } = served
    const name = repository.dir.split('/').at(-1) ?? ''
    // Nobody's address leads here too, and does not say so.
    const address = `${url.replace('127.0.0.1', '0.0.0.0')}/${name}/.git`
    expect(await trap.git('ls-remote', address)).toContain('refs/tags/v1.0.0')
    const asked = seen.length
    expect(asked).toBeGreaterThan(0)
    await refusedEverywhere(trap, address, /is not protected on its way/)
    expect(seen.length).toBe(asked)
    await installs(makeProject(), `${url}/${name}/.git`)
    expect(seen.length).toBeGreaterThan(asked)
  })

  it('Q94: a password in an address that fails is in no message, log or file', async () => {
    const repository = makeToolRepository('fs', ['1.0.0'])
    const served = await serveGit(join(repository.dir, '..'), { password: 'right' })
    onTestFinished(() => served.close())
    const { url, seen } = served
    const address = `${url.replace('//', '//ada:hunter2@')}/${repository.dir.split('/').at(-1)}/.git`
    const trap = makeTrap()
    await trap.git('ls-remote', address)
    expect(seen).toContain('ada:hunter2')
    const project = makeProject({ 'orla.yaml': '' })
    for (const args of [
      ['install', address, '--yes'],
      ['registry', 'add', 'other', address],
    ]) {
      const { stdout, stderr } = await project.orla(args, { env: { ORLA_LOG_LEVEL: 'debug' } })
      expect(stdout + stderr, args[0]).toMatch(/Authentication failed|wants a password|credentials/)
      expect(stdout + stderr, args[0]).not.toContain('hunter2')
    }
    for (const root of [project.dir, project.env.ORLA_HOME ?? ''].filter(existsSync))
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
        if (entry.isFile())
          expect(readFileSync(join(entry.parentPath, entry.name)).includes('hunter2'), entry.name).toBe(false)
  })
})
