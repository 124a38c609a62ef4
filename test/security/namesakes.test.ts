import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { contentDigest, isContent } from '../../src/formats/index.ts'
import { listTree } from '../../src/platform/index.ts'
import { type Finished, makeProject, type Project } from '../stories/project.ts'

/** A package as a program in a shell; `asks` are words of its manifest. */
const shell = (name: string, script: string, asks = '[]') => ({
  'tool.yaml': `name: ${name}\nversion: 1.0.0\ndescription: Something\nentrypoint: bin/${name}\npermissions: ${asks}\n`,
  [`bin/${name}`]: `#!/bin/sh\n${script}\n`,
})

const below = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))

function ok({ status, stdout, stderr }: Finished): string {
  expect([status, stderr]).toEqual([0, expect.any(String)])
  return stdout
}

/** Another project of the same person. */
function secondProject(project: Project): string {
  const dir = join(project.dir, 'second')
  mkdirSync(dir)
  writeFileSync(join(dir, 'orla.yaml'), 'port: 0\n')
  return dir
}

/** What a program finds in its home runs with what the program may do, as the start files of a shell do. */
const TRUSTING = 'test -f ~/.start && . ~/.start; echo token > ~/token; echo done'
const PLANTING = 'echo "echo planted" > ~/.start; cat ~/token 2>/dev/null || echo nothing to see'

describe('Q91: the home of a package', () => {
  it('is not that of its namesake from other hands, which asks for nothing and is installed without a question', async () => {
    const project = makeProject({
      'orla.yaml': 'port: 0\n',
      ...below('mine', shell('gh', TRUSTING, '["filesystem:read:./"]')),
      ...below('theirs', shell('gh', PLANTING)),
    })
    const second = secondProject(project)
    ok(await project.orla(['install', '--local', 'mine', '--yes']))
    expect(ok(await project.orla(['call', 'gh']))).toBe('done\n')
    ok(await project.orla(['install', '--local', '../theirs'], { cwd: second }))
    expect(ok(await project.orla(['call', 'gh'], { cwd: second }))).toBe('nothing to see\n')
    expect(ok(await project.orla(['call', 'gh']))).toBe('done\n')
    // That it was done: the namesake itself finds what it has planted, and each keeps what is its own.
    const homes = join(project.env.ORLA_HOME ?? '', 'state/packages')
    const kept = readdirSync(homes).flatMap((one) => readdirSync(join(homes, one)).join(' '))
    expect(kept.sort()).toEqual(['.start', 'token'])
  })

  it('stays the same for the next version from the same hands', async () => {
    const files = shell('gh', TRUSTING)
    const project = makeProject({ 'orla.yaml': 'port: 0\n', ...below('mine', files) })
    ok(await project.orla(['install', '--local', 'mine', '--yes']))
    ok(await project.orla(['call', 'gh']))
    const next = {
      ...files,
      'tool.yaml': files['tool.yaml'].replace('1.0.0', '1.1.0'),
      'bin/gh': '#!/bin/sh\ncat ~/token\n',
    }
    project.write(below('mine', next))
    ok(await project.orla(['install', '--local', 'mine', '--yes']))
    expect(ok(await project.orla(['call', 'gh']))).toBe('token\n')
  })

  it.each(['installed', 'accepted', 'loose', 'packages', 'trials'])(
    'is no folder of Orla itself when the package calls itself %s',
    async (name) => {
      const project = makeProject({
        'orla.yaml': 'port: 0\n',
        ...below('theirs', shell(name, 'echo evil > ~/evil; ls ~')),
      })
      ok(await project.orla(['install', '--local', 'theirs']))
      expect(ok(await project.orla(['call', name]))).toBe('evil\n')
      const state = join(project.env.ORLA_HOME ?? '', 'state')
      expect(existsSync(join(state, name, 'evil'))).toBe(false)
      expect(ok(await project.orla(['verify', name]))).toContain('unsigned')
    },
  )

  it('is not touched by what is only tried', async () => {
    const test = JSON.stringify({ name: 'plants', input: {}, assertions: [] })
    const project = makeProject({
      'orla.yaml': 'port: 0\n',
      ...below('mine', shell('gh', TRUSTING)),
      ...below('theirs', { ...shell('gh', PLANTING), 'tests/a.test.json': test }),
    })
    ok(await project.orla(['install', '--local', 'mine', '--yes']))
    expect(ok(await project.orla(['call', 'gh']))).toBe('done\n')
    expect(ok(await project.orla(['test', 'theirs']))).toMatch(/1 passed/)
    ok(await project.orla(['pack', 'theirs', '--output', 'theirs.tar.gz']))
    expect(ok(await project.orla(['test', 'theirs.tar.gz', '--yes']))).toMatch(/1 passed/)
    expect(ok(await project.orla(['call', 'gh']))).toBe('done\n')
    expect(readdirSync(join(project.env.ORLA_HOME ?? '', 'state/trials'))).toEqual([])
  })
})

describe('Q89: a repository that comes with the receipt of a package that was accepted', () => {
  it('does not run other files under it, nor by saying that a hook made them', async () => {
    const project = makeProject({
      'orla.yaml': 'port: 0\n',
      ...below('mine', shell('gh', 'echo fine', '["filesystem:read:./"]')),
    })
    const second = secondProject(project)
    ok(await project.orla(['install', '--local', 'mine', '--yes']))
    const folder = join(second, 'tools/gh/1.0.0')
    cpSync(join(project.dir, 'tools'), join(second, 'tools'), { recursive: true })
    // The same files were accepted, wherever they are.
    expect(ok(await project.orla(['call', 'gh'], { cwd: second }))).toBe('fine\n')
    writeFileSync(join(folder, 'bin/gh'), '#!/bin/sh\necho evil\n')
    const forget = () => rmSync(join(project.env.ORLA_HOME ?? '', 'state/installed'), { recursive: true })
    forget()
    const plain = await project.orla(['call', 'gh'], { cwd: second })
    expect([plain.status, plain.stdout]).toEqual([3, ''])
    const file = join(folder, '.orla-receipt.json')
    const receipt = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown> // Orla wrote it
    const digest = contentDigest(
      'gh',
      '1.0.0',
      listTree(folder, (path) => !isContent(path)),
    )
    writeFileSync(file, `${JSON.stringify({ ...receipt, digest_after_hook: digest }, null, 2)}\n`)
    forget()
    const forged = await project.orla(['call', 'gh'], { cwd: second })
    expect([forged.status, forged.stdout]).toEqual([3, ''])
    expect(forged.stderr).toMatch(/its hook has not run on this machine/)
    const verified = await project.orla(['verify', 'gh'], { cwd: second })
    expect([verified.status, verified.stdout]).toEqual([3, expect.stringContaining('its hook has not run')])
  })
})
