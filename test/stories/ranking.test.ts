import { describe, expect, it } from 'vitest'
import { connectHttp } from './clients.ts'
import { writeFiles } from './files.ts'
import { localPackage } from './mcpkg-kit.ts'
import { eventually, makeProject, type Project, type Server } from './project.ts'
import { makeRepository, registriesYaml } from './repositories.ts'

const YES = '--yes'

/** A package whose implementations are slow, broken and good, in the order that is asked for. */
async function installThree(project: Project, ids: readonly string[]): Promise<void> {
  const command = (id: string) => ({ id, endpoint: { type: 'local', command: `./${id}.sh` } })
  const source = localPackage('demo.three', '1.0.0', { implementations: ids.map(command) })
  const say = (id: string) => `#!/bin/sh\necho '{"by":"${id}"}'\n`
  writeFiles(source, {
    'slow.sh': say('slow').replace('echo', 'sleep 0.4\necho'),
    // It works again once someone writes `repaired` beside the project.
    'bad.sh': `#!/bin/sh\nif [ -e '${project.dir}/repaired' ]; then echo '{"by":"bad"}'; else exit 3; fi\n`,
    'good.sh': say('good'),
  })
  expect(await project.orla(['install', '--local', source, YES])).toMatchObject({ status: 0 })
}

/** Which implementations were used, in order. */
function used(server: Server): string[] {
  return server.records.flatMap(({ msg, implementation }) => (msg === 'call' ? [String(implementation)] : []))
}

async function callTimes(server: Server, times: number): Promise<string[]> {
  const client = await connectHttp('v2-modern', server.url)
  const before = used(server).length
  for (let i = 0; i < times; i++) await client.call('demo.three')
  return eventually(() => {
    const all = used(server).slice(before)
    return all.length === times && all
  }, 'all calls are told')
}

interface Row {
  readonly rank: number
  readonly tool: string
  readonly version: string | null
  readonly score: number
  readonly parts: readonly { part: string; value: number; weight: number; words: string }[]
  readonly implementations?: readonly { implementation: string; cooling_until: string | null }[]
  readonly installed?: boolean
  readonly install?: string | null
}

describe('implementations are chosen by how they work here', () => {
  it('Q117, Q125: the best one is found, and known from then on', async () => {
    const project = makeProject({ 'orla.yaml': 'ranking: {explore: 100, cool_down: 10m}\n' })
    await installThree(project, ['slow', 'bad', 'good'])
    const server = await project.serve()
    // Each may show what it can: the broken one once, the good one until enough is known of it, then the first.
    const calls = await callTimes(server, 26)
    expect(calls.slice(0, 2)).toEqual(['bad', 'good'])
    expect(calls.filter((one) => one === 'bad')).toHaveLength(1)
    expect(calls.slice(1, 21).every((one) => one === 'good')).toBe(true)
    expect(calls.slice(21)).toEqual(Array(5).fill('slow'))
    await server.stop()
    // Others know it from the start.
    const settled = { env: { ORLA_RANKING_EXPLORE: '0' } }
    expect(await callTimes(await project.serve(['--port', '0'], settled), 2)).toEqual(['good', 'good'])
    const { stdout } = await project.orla(['call', 'demo.three'], settled)
    expect(JSON.parse(stdout)).toEqual({ by: 'good' })
    const info = await project.orla(['info', 'demo.three', '--offline'])
    expect(info.stdout).toMatch(/runs +good \(local\): .*100% of \d+ calls/)
    expect(info.stdout).toMatch(/else +slow \(local\): /)
    // Who wants the order of the package gets it.
    const off = await project.orla(['call', 'demo.three'], { env: { ORLA_RANKING_CHOOSE: 'off' } })
    expect(JSON.parse(off.stdout)).toEqual({ by: 'slow' })

    const ranked = await project.orla(['rank'])
    expect(ranked.stdout).toMatch(/^RANK +TOOL +VERSION +SCORE +WHY\n1 +demo\.three +1\.0\.0 +0\.\d\d +\S/)
    expect(ranked.stdout).toMatch(/^ +good +0\.\d\d +.*\n +slow/m)
    for (const line of ranked.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('Q117: one that keeps failing is set aside, tried again later, and may answer once it works', async () => {
    const project = makeProject({ 'orla.yaml': 'ranking: {explore: 0, cool_down: 700ms}\n' })
    await installThree(project, ['bad', 'good'])
    const server = await project.serve()
    const first = await callTimes(server, 5)
    expect(first.slice(0, 4)).toEqual(['bad', 'bad', 'bad', 'good'])
    const told = JSON.parse((await project.orla(['info', 'demo.three', '--offline', '--json'])).stdout)
    expect(told.installed[0].implementations).toHaveLength(2)
    await eventually(async () => (await callTimes(server, 1))[0] === 'bad', 'it is tried again')
    project.write({ repaired: '' })
    await eventually(async () => {
      await callTimes(server, 1)
      return server.records.some(({ implementation, success }) => implementation === 'bad' && success)
    }, 'it is tried once more, and works')
  })
})

describe('orla rank', () => {
  const PACKAGE = (name: string, capability: string) =>
    `name: ${name}\nversion: 1.0.0\ndescription: Does ${name}\nentrypoint: main\ncapabilities: [${capability}]\n`

  it('Q122, Q123: ranks tools and chains by what is known, and says why', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/good.sh': '#!/bin/sh\necho fine\n',
      'tools/bad.sh': '#!/bin/sh\nexit 3\n',
      'tools/read/tool.yaml': PACKAGE('read', 'pdf.read'),
      'tools/read/main': '#!/bin/sh\necho read\n',
    })
    const chain = localPackage('demo.chain', '1.0.0', {
      implementations: [],
      capabilities: ['pdf'],
      chain: [{ step: 'one', tool: 'good', input: {}, outputKey: 'one' }],
    })
    expect(await project.orla(['install', '--local', chain, YES])).toMatchObject({ status: 0 })
    for (let i = 0; i < 2; i++)
      for (const name of ['good', 'bad', 'demo.chain']) await project.orla(['call', name])
    const { stdout } = await project.orla(['rank', '--json'])
    const { tools } = JSON.parse(stdout) as { tools: Row[] }
    expect(tools.map(({ rank }) => rank)).toEqual([1, 2, 3, 4])
    const names = tools.map(({ tool }) => tool)
    expect(names.slice(-2)).toEqual(['read', 'bad'])
    expect(names.slice(0, 2).sort()).toEqual(['demo.chain', 'good'])
    for (const { score, parts } of tools) {
      expect(parts.reduce((sum, { value, weight }) => sum + value * weight, 0)).toBeCloseTo(score, 9)
      expect(Object.keys(parts[0] ?? {})).toEqual(['part', 'value', 'weight', 'words'])
    }
    expect((await project.orla(['rank'])).stdout).toMatch(/^4 +bad +- +0\.\d\d +.*0% of 2 calls/m)

    const able = JSON.parse((await project.orla(['rank', 'PDF', '--json'])).stdout) as { tools: Row[] }
    expect(able.tools.map(({ tool }) => tool)).toEqual(['demo.chain', 'read'])
    const typo = await project.orla(['rank', 'pdf.raed'])
    expect([typo.status, typo.stdout]).toEqual([0, ''])
    expect(typo.stderr).toContain('Did you mean "pdf.read"?')
    expect((await project.orla(['rank', 'video'])).stderr).toContain('`orla recommend "video"`')
  })

  it('Q123: an empty project is told what to do', async () => {
    const project = makeProject({ 'orla.yaml': '', 'tools/.keep': '' })
    const empty = await project.orla(['rank'])
    expect([empty.status, empty.stdout]).toEqual([0, ''])
    expect(empty.stderr).toContain('`orla init`')
    expect(JSON.parse((await project.orla(['rank', '--json'])).stdout)).toEqual({ tools: [] })
  })
})

describe('orla recommend', () => {
  it('Q116, Q117, Q123: what is installed and what could be, best first, with the reasons', async () => {
    const registry = makeRepository({
      'registry.yaml': [
        'version: 1\nregistry_url: x\ntools:',
        '  - {name: pdf-reader, description: Reads the text of a PDF, repository: /x, capabilities: [pdf.read], language: python}',
        '  - {name: pdf-windows, description: Reads a PDF, repository: /x, platforms: [win-x64], capabilities: [pdf.read]}',
        '  - {name: weather, description: Tells the weather, repository: /y, language: go}',
        '  - {name: mine, description: Reads PDF files, repository: /z}',
        '',
      ].join('\n'),
    })
    registry.commit()
    const project = makeProject({
      'orla.yaml': registriesYaml(['main', registry]),
      'tools/mine.sh': '#!/bin/sh\n# Reads PDF files.\necho text\n',
    })
    for (let i = 0; i < 6; i++) await project.orla(['call', 'mine'])
    const ask = async (...args: string[]) => {
      const { stdout } = await project.orla(['recommend', ...args, YES, '--json'])
      return (JSON.parse(stdout) as { results: Row[] }).results
    }
    const found = await ask('read a pdf')
    expect(found.map(({ tool }) => tool)).toEqual(
      expect.arrayContaining(['pdf-reader', 'mine', 'pdf-windows']),
    )
    expect(found).toHaveLength(3)
    expect(found.at(-1)).toMatchObject({ tool: 'pdf-windows', installed: false })
    expect(found.find(({ tool }) => tool === 'mine')).toMatchObject({ installed: true, install: null })
    expect(found.find(({ tool }) => tool === 'pdf-reader')).toMatchObject({
      installed: false,
      install: 'orla install pdf-reader',
    })
    expect((await ask('read', 'pfd'))[0]?.tool).toMatch(/pdf|mine/)
    expect((await ask('wether')).map(({ tool }) => tool)).toEqual(['weather'])
    expect((await ask('pdf', '--language', 'Python')).map(({ tool }) => tool)).toEqual(['pdf-reader'])
    expect((await ask('pdf', '--platform', 'win-x64')).map(({ tool }) => tool)).toContain('pdf-windows')
    expect((await ask('--capability', 'pdf.read')).map(({ tool }) => tool)).toEqual([
      'pdf-reader',
      'pdf-windows',
    ])
    expect(await ask('pdf', '--limit', '1')).toHaveLength(1)

    const shown = await project.orla(['recommend', 'read a pdf', '--offline'])
    expect(shown.stdout).toMatch(/^RANK +NAME +FROM +SCORE +WHY\n/)
    expect(shown.stdout).toMatch(/^\d +mine +installed +0\.\d\d +\S/m)
    expect(shown.stdout).toMatch(/^\d +pdf-windows +main +0\.\d\d +.*made for win-x64/m)
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
    expect(shown.stderr).toContain('`orla install pdf-reader`')

    const nothing = await project.orla(['recommend', 'pdf', '--language', 'cobol'])
    expect([nothing.status, nothing.stdout]).toEqual([0, ''])
    expect(nothing.stderr).toMatch(/^Nothing fits "pdf" --language cobol\. Without --language cobol: `/)
    expect((await project.orla(['recommend', 'zzzzqqq'])).stderr).toContain('other words')
    expect((await project.orla(['recommend'])).status).toBe(2)
    expect((await project.orla(['recommend', 'pdf', '--limit', '0'])).status).toBe(2)
  })

  it('Q117: without a registry that can be asked, what is installed is still recommended', async () => {
    const project = makeProject({
      'orla.yaml': 'registries: [{name: gone, url: /nowhere/at/all}]\n',
      'tools/mine.sh': '#!/bin/sh\n# Reads PDF files.\necho text\n',
    })
    const { status, stdout, stderr } = await project.orla(['recommend', 'pdf', '--offline', YES])
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^1 +mine +installed /m)])
    expect(stderr).toContain('not cached')
  })
})
