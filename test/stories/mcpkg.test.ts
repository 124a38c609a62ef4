import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fixture, localPackage, packageFiles, serveHttp } from './mcpkg-kit.ts'
import { type Finished, makeProject, ok, type Project } from './project.ts'
import { makeRegistry, makeRepository, registriesYaml } from './repositories.ts'

/** Every story here starts the program many times. */
const MANY_STARTS_MS = 60_000

const json = (finished: Finished) => JSON.parse(finished.stdout)

async function packed(project: Project, folder: string, out = 'packed.mcpkg'): Promise<string> {
  ok(await project.orla(['pack', folder, '-o', out]))
  return join(project.dir, out)
}

describe('the examples of MCPKG', { timeout: MANY_STARTS_MS }, () => {
  it('Q85, Q86, Q95, Q99, Q104: echo is packed, validated, installed, listed and answers', async () => {
    const endpoint = await serveHttp(({ body }) => ({ body }))
    const echo = fixture('echo', (manifest) => ({
      ...manifest,
      endpoint: { type: 'http', method: 'POST', url: `${endpoint.url}/echo` },
    }))
    const project = makeProject({ 'orla.yaml': '' })
    ok(await project.orla(['create', echo]))
    expect(readdirSync(project.dir)).toContain('demo.echo-0.1.0.mcpkg')
    const again = await packed(project, echo, 'again.mcpkg')
    expect(readFileSync(again).equals(readFileSync(join(project.dir, 'demo.echo-0.1.0.mcpkg')))).toBe(true)
    expect(ok(await project.orla(['validate', again]))).toMatch(/demo\.echo 0\.1\.0 is a valid package/)
    ok(await project.orla(['install', 'again.mcpkg', '--yes']))
    expect(readdirSync(join(project.dir, '.mcp/tools/demo.echo')).sort()).toEqual([
      '.orla-receipt.json',
      'manifest.json',
      'tests',
    ])
    // An install sends nothing in the name of whoever installs.
    expect(endpoint.requests).toEqual([])
    expect(json(await project.orla(['list', '--json'])).tools).toMatchObject([
      { name: 'demo.echo', version: '0.1.0', mode: 'http' },
    ])
    expect(JSON.parse(ok(await project.orla(['call', 'demo.echo', '{"message":"hi"}'])))).toEqual({
      message: 'hi',
    })
    expect(JSON.parse(readFileSync(join(project.dir, 'orla.lock'), 'utf8')).packages).toMatchObject([
      { name: 'demo.echo', version: '0.1.0', pin: { kind: 'archive' } },
    ])
  })

  it('Q90, Q100: a charge asks for its host and its secret, and sends one to the other', async () => {
    const endpoint = await serveHttp(({ body }) => {
      const { amount, currency } = JSON.parse(body)
      return {
        body: JSON.stringify({
          status: 'succeeded',
          amount,
          currency: currency.toLowerCase(),
          amount_refunded: 0,
        }),
      }
    })
    const charge = fixture('charge', (manifest) => ({
      ...manifest,
      endpoint: { type: 'http', method: 'POST', url: `${endpoint.url}/v1/charges` },
    }))
    writeFileSync(
      join(charge, 'openapi.json'),
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Charges', version: '1.0.0' },
        servers: [{ url: `${endpoint.url}/v1` }],
        paths: { '/charges': { post: { responses: {} } } },
      }),
    )
    const project = makeProject({ 'orla.yaml': '' })
    const file = await packed(project, charge)
    const refused = await project.orla(['install', file])
    expect([refused.status, refused.stderr]).toEqual([
      3,
      expect.stringMatching(/asks {2}network:127\.0\.0\.1:\d+[\s\S]*asks {2}secret:STRIPE_API_KEY/),
    ])
    expect(existsSync(join(project.dir, '.mcp'))).toBe(false)
    ok(await project.orla(['install', file, '--yes']))
    const args = ['call', 'stripe.payments.create_charge', '{"amount":1000,"currency":"EUR","source":"tok"}']
    expect((await project.orla(args)).stderr).toMatch(/STRIPE_API_KEY/)
    expect(endpoint.requests).toEqual([])
    const result = JSON.parse(ok(await project.orla(args, { env: { STRIPE_API_KEY: 'sk_live' } })))
    expect(result).toMatchObject({ status: 'succeeded', currency: 'eur' })
    expect(endpoint.requests[0]?.headers.authorization).toBe('Bearer sk_live')
  })

  it('Q112, Q113, Q114, Q115: of three PDF readers the one that runs here is used, and info says why', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    ok(await project.orla(['install', await packed(project, fixture('pdf')), '--yes']))
    const called = ok(await project.orla(['call', 'tools.pdf.read_local', '{"path":"/tmp/a.pdf"}']))
    expect(JSON.parse(called)).toEqual({ content: 'text of /tmp/a.pdf', reader: 'node' })
    const told = ok(await project.orla(['info', 'tools.pdf.read_local', '--offline']))
    expect(told).toMatch(/1\.0\.0 \(local, in use\)/)
    expect(told).toMatch(/runs +node-pdfjs \(node\)\n/)
    expect(told).toMatch(/(?:not|else) +dotnet-itext \(net8\.0\)/)
    expect(told).toMatch(/(?:not|else) +python-pymupdf \(python3\.11\)/)
    const { installed } = json(await project.orla(['info', 'tools.pdf.read_local', '--offline', '--json']))
    expect(installed[0].implementations).toMatchObject([
      { id: 'node-pdfjs', type: 'local', runtime: 'node', state: 'chosen', reasons: [] },
      { id: expect.any(String) },
      { id: expect.any(String) },
    ])
  })

  it('Q117: one that cannot start makes way for the next, and the result says so', async () => {
    const more = {
      implementations: [
        { id: 'broken', endpoint: { type: 'local', command: './broken' } },
        { id: 'works', endpoint: { type: 'local', command: 'node ./run.mjs' } },
      ],
    }
    const folder = localPackage('acme.text.say', '1.0.0', more)
    writeFileSync(join(folder, 'broken'), 'no program\n', { mode: 0o644 })
    const project = makeProject({ 'orla.yaml': '' })
    ok(await project.orla(['install', await packed(project, folder), '--yes']))
    const { status, stdout, stderr } = await project.orla(['call', 'acme.text.say', '{}'])
    expect([status, JSON.parse(stdout).said]).toEqual([0, '1.0.0'])
    expect(stderr).toMatch(/`broken` could not start .*`works` was used/)
  })

  it('Q113: where nothing fits, the tool is a problem that says why', async () => {
    const project = makeProject({
      'orla.yaml': '',
      'tools/far/manifest.json':
        packageFiles('acme.text.far', '1.0.0', {
          implementations: [
            {
              id: 'plan9',
              platforms: ['win-arm64'],
              endpoint: { type: 'local', command: 'node ./run.mjs' },
              requirements: { minNodeVersion: '99.0.0' },
            },
          ],
        })['manifest.json'] ?? '',
    })
    const { tools, problems } = json(await project.orla(['list', '--json']))
    expect(tools).toEqual([])
    expect(problems[0].message).toMatch(
      /`acme\.text\.far` is not served.*`plan9`: it is made for win-arm64, and this is .*Node\.js 99\.0\.0 or newer/,
    )
  })
})

describe('versions of an .mcpkg', { timeout: MANY_STARTS_MS }, () => {
  it('Q67, Q104: the newest is current, others are kept, and one can be chosen, rolled back and removed', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    const said = async () => JSON.parse(ok(await project.orla(['call', 'acme.text.say', '{}']))).said
    for (const version of ['1.0.0', '1.1.0', '0.9.0']) {
      const file = await packed(project, localPackage('acme.text.say', version), `say-${version}.mcpkg`)
      ok(await project.orla(['install', file, '--yes']))
    }
    expect(await said()).toBe('1.1.0')
    expect(readdirSync(join(project.dir, '.mcp/store/acme.text.say')).sort()).toEqual(['0.9.0', '1.0.0'])
    const current = join(project.dir, '.mcp/tools/acme.text.say/manifest.json')
    expect(JSON.parse(readFileSync(current, 'utf8')).version).toBe('1.1.0')
    expect(ok(await project.orla(['install', 'say-1.1.0.mcpkg']))).toMatch(/is installed already/)
    ok(await project.orla(['rollback', 'acme.text.say']))
    expect(await said()).toBe('1.0.0')
    ok(await project.orla(['use', 'acme.text.say@0.9.0']))
    expect(await said()).toBe('0.9.0')
    ok(await project.orla(['uninstall', 'acme.text.say@0.9.0']))
    expect(await said()).toBe('1.1.0')
    ok(await project.orla(['uninstall', 'acme.text.say']))
    expect(json(await project.orla(['list', '--json'])).packages).toEqual([])
    expect(JSON.parse(readFileSync(join(project.dir, 'orla.lock'), 'utf8')).packages).toEqual([])
  })

  it('Q89: what was edited after the install does not serve, and the lock restores it', async () => {
    const project = makeProject({ 'orla.yaml': '' })
    ok(
      await project.orla(['install', await packed(project, localPackage('acme.text.say', '1.0.0')), '--yes']),
    )
    const manifest = join(project.dir, '.mcp/tools/acme.text.say/manifest.json')
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('run.mjs', 'run.js'))
    expect(json(await project.orla(['list', '--json']))).toMatchObject({
      tools: [],
      problems: [{ message: 'was changed after it was installed' }],
    })
    ok(await project.orla(['install', '--yes']))
    expect(json(await project.orla(['list', '--json'])).tools).toMatchObject([{ name: 'acme.text.say' }])
  })

  it('Q104: without an orla.yaml it goes below the working directory', async () => {
    const project = makeProject()
    ok(
      await project.orla(['install', await packed(project, localPackage('acme.text.say', '1.0.0')), '--yes']),
    )
    expect(existsSync(join(project.dir, '.mcp/tools/acme.text.say/manifest.json'))).toBe(true)
    expect(JSON.parse(ok(await project.orla(['call', 'acme.text.say', '{}']))).said).toBe('1.0.0')
  })
})

describe('where an .mcpkg comes from', { timeout: MANY_STARTS_MS }, () => {
  it('Q89, Q104: from a URL with a checksum, from a registry that names one, and from git', async () => {
    const project = makeProject()
    const bytes = readFileSync(await packed(project, localPackage('acme.text.say', '1.0.0')))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const { url } = await serveHttp(() => ({ body: bytes, type: 'application/zip' }))
    const repository = makeRepository(packageFiles('acme.text.git', '2.0.0'))
    repository.commit('v2.0.0')
    const registry = makeRegistry({ 'acme.text.say': `${url}/say.mcpkg`, 'acme.text.git': repository })
    project.write({ 'orla.yaml': registriesYaml(['main', registry]) })
    const wrong = await project.orla(['install', `${url}/say.mcpkg#sha256=${'0'.repeat(64)}`, '--yes'])
    expect([wrong.status, existsSync(join(project.dir, '.mcp'))]).toEqual([3, false])
    ok(await project.orla(['install', `${url}/say.mcpkg#sha256=${sha256}`, '--yes']))
    ok(await project.orla(['uninstall', 'acme.text.say']))
    ok(await project.orla(['install', 'acme.text.say', 'acme.text.git', '--yes']))
    expect(json(await project.orla(['list', '--json'])).tools).toMatchObject([
      { name: 'acme.text.git', version: '2.0.0' },
      { name: 'acme.text.say', version: '1.0.0' },
    ])
    repository.write(packageFiles('acme.text.git', '2.1.0'))
    repository.commit('v2.1.0')
    ok(await project.orla(['update', 'acme.text.git', '--yes']))
    expect(readdirSync(join(project.dir, '.mcp/store/acme.text.git'))).toEqual(['2.0.0'])
    expect(JSON.parse(ok(await project.orla(['call', 'acme.text.git', '{}']))).said).toBe('2.1.0')
  })

  it('Q97: a registry that promises another tool is refused', async () => {
    const repository = makeRepository(packageFiles('acme.text.other', '1.0.0'))
    repository.commit('v1.0.0')
    const registry = makeRegistry({ 'acme.text.say': repository })
    const project = makeProject({ 'orla.yaml': registriesYaml(['main', registry]) })
    expect((await project.orla(['install', 'acme.text.say', '--yes'])).stderr).toMatch(/acme\.text\.other/)
    expect(existsSync(join(project.dir, '.mcp'))).toBe(false)
  })
})

describe('a new .mcpkg', { timeout: MANY_STARTS_MS }, () => {
  it.each(['node', 'python', 'sh'])(
    'Q86: in %s it validates, packs, passes its test and installs',
    async (language) => {
      const project = makeProject({ 'orla.yaml': '' })
      ok(await project.orla(['new', 'acme.text.greet', '--mcpkg', '--lang', language]))
      ok(await project.orla(['validate', 'acme.text.greet']))
      ok(await project.orla(['test', 'acme.text.greet']))
      ok(await project.orla(['pack', 'acme.text.greet']))
      ok(await project.orla(['install', 'acme.text.greet-0.1.0.mcpkg']))
      const answer = ok(await project.orla(['call', 'acme.text.greet', '{"name":"A\\"da"}']))
      expect(JSON.parse(answer)).toEqual({ greeting: 'Hello, A"da!' })
    },
  )

  it('Q86: behind an endpoint it does so, too', async () => {
    const { url } = await serveHttp(({ body }) => ({ body }))
    const project = makeProject({ 'orla.yaml': '' })
    ok(await project.orla(['new', 'acme.net.echo', '--mcpkg', '--http', `${url}/echo`]))
    ok(await project.orla(['validate', 'acme.net.echo']))
    ok(await project.orla(['test', 'acme.net.echo']))
    ok(await project.orla(['install', '--local', 'acme.net.echo', '--yes']))
    expect(JSON.parse(ok(await project.orla(['call', 'acme.net.echo', '{"message":"x"}'])))).toEqual({
      message: 'x',
    })
  })

  it('refuses names and wishes that do not go together', async () => {
    const project = makeProject()
    for (const [args, words] of [
      [['new', 'greet', '--mcpkg'], /two or more parts/],
      [['new', 'acme.greet'], /add --mcpkg/],
      [['new', 'acme.greet', '--mcpkg', '--http', 'ftp://x'], /not an http/],
      [['new', 'acme.greet', '--mcpkg', '--capsule'], /exclude each other/],
    ] as const) {
      const { status, stderr } = await project.orla(args)
      expect([status, stderr]).toEqual([2, expect.stringMatching(words)])
    }
    expect(readdirSync(project.dir)).toEqual([])
  })
})
