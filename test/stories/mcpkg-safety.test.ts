import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { packZip } from '../../src/platform/index.ts'
import { localPackage, packageFiles } from './mcpkg-kit.ts'
import { eventually, makeProject } from './project.ts'

const MANY_STARTS_MS = 60_000

/** An .mcpkg whose entry of that name is called otherwise, byte by byte: no tool would pack it so. */
async function renamed(project: string, from: string, to: string): Promise<string> {
  const folder = localPackage('acme.text.say', '1.0.0')
  mkdirSync(join(folder, 'xx'), { recursive: true })
  writeFileSync(join(folder, from), 'owned')
  const file = join(project, 'hostile.mcpkg')
  await packZip(folder, ['manifest.json', 'run.mjs', from], file)
  const bytes = readFileSync(file).toString('latin1').replaceAll(from, to)
  writeFileSync(file, Buffer.from(bytes, 'latin1'))
  return file
}

describe('a hostile .mcpkg', { timeout: MANY_STARTS_MS }, () => {
  it.each([
    ['xx/evil', '../evil'],
    ['xx/evil', '/tmp/ev'],
    ['xx\u005fevil', 'xx\\evil'],
    ['run2mjs', 'run.mjs'],
    ['RUN2MJS', 'RUN.MJS'],
    ['xx/evilx', '.git/con'],
  ])('Q95: with the entry %j named %j is refused whole', async (from, to) => {
    const project = makeProject({ 'orla.yaml': '' })
    const file = await renamed(project.dir, from, to)
    const { status, stderr } = await project.orla(['install', file, '--yes'])
    expect([status === 0, stderr]).toEqual([false, expect.stringMatching(/^error: /m)])
    expect(existsSync(join(project.dir, '.mcp'))).toBe(false)
    expect(existsSync(join(project.dir, 'orla.lock'))).toBe(false)
    expect(existsSync(join(project.dir, '../evil'))).toBe(false)
    expect((await project.orla(['validate', file])).status).not.toBe(0)
  })

  it('Q95: that is no zip, has no manifest, or holds links is refused whole', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const folder = localPackage('acme.text.say', '1.0.0')
    execFileSync('tar', ['czf', join(project.dir, 'tar.mcpkg'), '-C', folder, '.'])
    await packZip(folder, ['run.mjs'], join(project.dir, 'bare.mcpkg'))
    symlinkSync('/etc/passwd', join(folder, 'link'))
    execFileSync('zip', ['-qry', join(project.dir, 'link.mcpkg'), '.'], { cwd: folder })
    for (const [file, words] of [
      ['tar.mcpkg', /it is not a zip/],
      ['bare.mcpkg', /neither a tool\.yaml nor a manifest\.json/],
      ['link.mcpkg', /link/],
    ] as const) {
      const { status, stderr } = await project.orla(['install', file, '--yes'])
      expect([status === 0, stderr]).toEqual([false, expect.stringMatching(words)])
    }
    expect(readdirSync(project.dir).sort()).toEqual(['bare.mcpkg', 'link.mcpkg', 'orla.yaml', 'tar.mcpkg'])
  })

  it('Q98, Q105: everything wrong with a package is told at once, each at its place', async () => {
    const project = makeProject()
    const folder = localPackage('acme.text.say', '1.0', {
      capabilities: 'x',
      input_schema: { type: 'object', properties: { a: { type: 'strin' } } },
      tests: ['tests/none.test.json', 'tests/odd.test.json'],
      implementations: [{ id: 'node', endpoint: { type: 'local', command: 'node ./gone.mjs' } }],
    })
    mkdirSync(join(folder, 'tests'))
    writeFileSync(join(folder, 'tests/odd.test.json'), '{"name":"odd","assertions":[{"path":"$["}]}')
    const { status, stdout } = await project.orla(['validate', folder, '--json'])
    const { ok, problems } = JSON.parse(stdout)
    expect([status, ok]).toEqual([1, false])
    const pointers = problems.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers).toEqual(
      expect.arrayContaining([
        '/version',
        '/capabilities',
        '/input_schema',
        '/tests/0',
        '/implementations/0/endpoint/command',
        '/assertions/0/path',
      ]),
    )
    for (const { file, line } of problems) expect([existsSync(file), line > 0]).toEqual([true, true])
    expect((await project.orla(['pack', folder])).status).toBe(1)
    expect(readdirSync(project.dir)).toEqual([])
  })

  it('Q104: what was put there by hand is kept aside, whatever it says about itself', async () => {
    const odd = packageFiles('acme.text.say', '../../../away')
    const project = makeProject({
      'orla.yaml': '',
      ...Object.fromEntries(
        Object.entries(odd).map(([path, text]) => [`.mcp/tools/acme.text.say/${path}`, text]),
      ),
    })
    const installed = await project.orla([
      'install',
      '--local',
      localPackage('acme.text.say', '1.0.0'),
      '--yes',
    ])
    expect(installed.status).toBe(0)
    expect(readdirSync(join(project.dir, '.mcp/store/acme.text.say'))).toEqual(['0.0.0'])
    expect(readdirSync(project.dir).sort()).toEqual(['.mcp', 'orla.lock', 'orla.yaml', 'tools'])
  })

  it('Q104: belongs to a folder, never to every project', async () => {
    const project = makeProject()
    for (const word of ['acme.text.say@v1.0.0', 'say.mcpkg']) {
      const { status, stderr } = await project.orla(['install', word, '--global'])
      expect([status, stderr]).toEqual([2, expect.stringMatching(/leave out --global/)])
    }
  })

  it('Q105: an update that fails its tests leaves the version before it alone', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const files = (version: string, said: string) => {
      const folder = localPackage('acme.text.say', version, { tests: ['tests/said.test.json'] })
      mkdirSync(join(folder, 'tests'))
      writeFileSync(
        join(folder, 'tests/said.test.json'),
        JSON.stringify({ name: 'said', input: {}, expected: { said } }),
      )
      return folder
    }
    expect((await project.orla(['install', '--local', files('1.0.0', '1.0.0'), '--yes'])).status).toBe(0)
    const failed = await project.orla(['install', '--local', files('1.1.0', 'other'), '--yes'])
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringMatching(/fails its own tests/)])
    expect(readdirSync(join(project.dir, '.mcp'))).toEqual(['tools'])
    expect(JSON.parse((await project.orla(['call', 'acme.text.say', '{}'])).stdout).said).toBe('1.0.0')
  })
})

describe('a running server', { timeout: MANY_STARTS_MS }, () => {
  it('Q60, Q104: offers what is installed, linked or put below tools/, and takes back what goes', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const server = await project.serve()
    const reloaded = (tools: number) =>
      server.record(({ msg, tools: count }) => msg === 'reloaded' && count === tools)
    await project.orla(['install', '--local', localPackage('acme.text.say', '1.0.0'), '--yes'])
    await reloaded(1)
    project.write(
      Object.fromEntries(
        Object.entries(packageFiles('acme.text.hand', '1.0.0')).map(([path, text]) => [
          `tools/hand/${path}`,
          text,
        ]),
      ),
    )
    await reloaded(2)
    await project.orla(['install', '--local', localPackage('acme.text.link', '1.0.0'), '--link'])
    await reloaded(3)
    await project.orla(['uninstall', 'acme.text.say'])
    await eventually(
      () => server.records.findLast(({ msg }) => msg === 'reloaded')?.tools === 2,
      'two tools are left',
    )
  })

  it('Q118, Q119, Q120: serves a chain once every tool it calls is there, and no circle', async () => {
    const step = (tool: string) => [{ step: 'one', tool, inputMapping: { text: '$.input.text' } }]
    const chain = (toolId: string, tool: string) =>
      packageFiles(toolId, '1.0.0', { implementations: undefined, chain: step(tool) })['manifest.json'] ?? ''
    const project = makeProject({
      'orla.yaml': '',
      '.mcp/tools/acme.text.pipe/manifest.json': chain('acme.text.pipe', 'acme.text.say'),
      '.mcp/tools/acme.loop.a/manifest.json': chain('acme.loop.a', 'acme.loop.b'),
      '.mcp/tools/acme.loop.b/manifest.json': chain('acme.loop.b', 'acme.loop.a'),
    })
    const before = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(before.tools).toEqual([])
    expect(before.problems.map(({ message }: { message: string }) => message).sort()).toEqual([
      '`acme.loop.a` is not served: its chain calls itself: acme.loop.a → acme.loop.b → acme.loop.a',
      '`acme.loop.b` is not served: its chain calls itself: acme.loop.b → acme.loop.a → acme.loop.b',
      '`acme.text.pipe` is not served: its chain calls `acme.text.say`, which is not served',
    ])
    await project.orla(['install', '--local', localPackage('acme.text.say', '1.0.0'), '--yes'])
    const { tools } = JSON.parse((await project.orla(['list', '--json'])).stdout)
    expect(tools).toMatchObject([
      { name: 'acme.text.pipe', mode: 'chain' },
      { name: 'acme.text.say', mode: 'local' },
    ])
    const called = await project.orla(['call', 'acme.text.pipe', '{"text":"x"}'])
    expect(JSON.parse(called.stdout)).toEqual({ said: '1.0.0', given: { text: 'x' } })
  })
})
