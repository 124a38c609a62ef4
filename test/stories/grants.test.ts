import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_KINDS, connectHttp, connectStdio, type Elicit, TRANSPORTS } from './clients.ts'
import { eventually, makeProject, type Project } from './project.ts'
import { makeRegistry, makeToolRepository, packageFiles, registriesYaml } from './repositories.ts'
import { openTerminal } from './terminal.ts'

const READ = 'permissions: [filesystem:read]\n'

interface GrantsFile {
  readonly grants: readonly {
    readonly name: string
    readonly version: string
    readonly permissions: readonly string[]
    readonly how: string
    readonly pin?: unknown
  }[]
}

function grantsFile(project: Project): string {
  return join(project.env.ORLA_HOME ?? '', 'grants.json')
}

function grantsOf(project: Project): GrantsFile['grants'] {
  return (JSON.parse(readFileSync(grantsFile(project), 'utf8')) as GrantsFile).grants // Orla wrote it
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}

/** A project in which `fs`, which wants to read all files, is installed and accepted. */
async function installed(extra = READ, more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = makeProject({
    'orla.yaml': 'port: 0\n',
    ...below('src/fs', packageFiles('fs', '1.0.0', extra)),
    ...more,
  })
  expect(await project.orla(['install', '--local', 'src/fs', '--yes'])).toMatchObject({ status: 0 })
  return project
}

/** The same, of which this user knows nothing: as if it had come with a repository. */
async function foreign(extra = READ, more: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = makeProject({ 'orla.yaml': 'port: 0\n' })
  cpSync(join((await installed(extra, more)).dir, 'tools'), join(project.dir, 'tools'), { recursive: true })
  return project
}

/** A capsule that answers everything with one word. */
const HELLO = `#!/usr/bin/env node
console.log('{"jsonrpc":"2.0","method":"orla.hello","params":{"name":"fs","version":"1.0.0","capabilities":[]}}')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: 'hello' }))
})
`

/** The same, in its own time. */
const WAITING = HELLO.replace(
  'const { id } = JSON.parse(line)\n',
  'const { id, params } = JSON.parse(line)\n',
).replace(/if \(id !== undefined\) (.*)\n/, 'setTimeout(() => $1, params?.arguments?.wait ?? 0)\n')

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('Q90: what a package asks for', () => {
  it('is accepted at the install, kept where only its user can read it, and listed', async () => {
    const project = await installed()
    expect(statSync(grantsFile(project)).mode & 0o777).toBe(0o600)
    expect(grantsOf(project)).toMatchObject([{ name: 'fs', permissions: ['filesystem:read'], how: '--yes' }])
    const listed = await project.orla(['grants', 'fs', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject({
      grants: [{ name: 'fs', version: '1.0.0' }],
      waiting: [],
    })
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
  })

  it.each([
    [READ, /filesystem:read {2}\(it reads ALL your files, except secrets\)/],
    ['', /declares no permissions: files of this project, no network/],
  ])('without a terminal %j is refused, in plain words', async (extra, words) => {
    const project = makeProject({
      'orla.yaml': 'port: 0\n',
      ...below('fs', packageFiles('fs', '1.0.0', extra)),
    })
    const refused = await project.orla(['install', '--local', 'fs'])
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringMatching(words) })
    expect(refused.stderr).toMatch(/--yes/)
    expect((await project.orla(['list'])).stdout).not.toMatch(/fs/)
  })

  it('is no question when it asks for nothing', async () => {
    const project = makeProject({
      'orla.yaml': 'port: 0\n',
      ...below('fs', packageFiles('fs', '1.0.0', 'permissions: []\n')),
    })
    expect(await project.orla(['install', '--local', 'fs'])).toMatchObject({ status: 0 })
    expect(grantsOf(project)).toMatchObject([{ name: 'fs', permissions: [], how: 'unasked' }])
    expect((await project.orla(['call', 'fs'])).status).toBe(0)
  })

  it('is asked again when an update adds to it, and only what is new', async () => {
    const repository = makeToolRepository('fs', ['1.0.0'], READ)
    const registry = makeRegistry({ fs: repository })
    const project = makeProject({ 'orla.yaml': registriesYaml(['own', registry]) })
    expect(await project.orla(['install', 'fs', '--yes'])).toMatchObject({ status: 0 })

    repository.write(packageFiles('fs', '1.1.0', READ))
    repository.commit('v1.1.0')
    expect(await project.orla(['update', 'fs'])).toMatchObject({ status: 0 })

    repository.write(packageFiles('fs', '1.2.0', 'permissions: [filesystem:read, network]\n'))
    repository.commit('v1.2.0')
    const plan = await project.orla(['update', 'fs', '--dry-run', '--json'])
    expect(JSON.parse(plan.stdout)).toMatchObject({
      planned: [{ new_permissions: ['network'], needs_consent: true }],
    })
    const refused = await project.orla(['update', 'fs'])
    expect(refused.status).toBe(3)
    expect(refused.stderr).toMatch(/asks {2}network {2}\(it connects to ANY host\)/)
    expect(refused.stderr).not.toMatch(/asks {2}filesystem/)
    expect(grantsOf(project).map(({ version }) => version)).toEqual(['1.0.0', '1.1.0'])
  })

  it('is accepted again by who restores it from orla.lock on another machine', async () => {
    const registry = makeRegistry({ fs: makeToolRepository('fs', ['1.0.0'], READ) })
    const project = makeProject({ 'orla.yaml': registriesYaml(['own', registry]) })
    expect(await project.orla(['install', 'fs', '--yes'])).toMatchObject({ status: 0 })
    const env = { ORLA_HOME: `${project.env.ORLA_HOME}-of-another` }
    await project.orla(['search', 'fs', '--yes'], { env })
    expect((await project.orla(['call', 'fs'], { env })).status).toBe(3)
    expect(await project.orla(['install'], { env })).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/asks {2}filesystem:read/),
    })
    expect((await project.orla(['install', '--frozen', '--yes'], { env })).status).toBe(0)
    expect((await project.orla(['call', 'fs'], { env })).stdout).toBe('fs 1.0.0\n')
  })

  it('is asked on a terminal', async () => {
    const project = await foreign()
    const terminal = openTerminal(project, ['grant', 'fs'])
    await terminal.shows('Accept this? [y/N]')
    terminal.type('y\r')
    expect(await terminal.ended).toBe(0)
    expect(grantsOf(project)).toMatchObject([{ name: 'fs', how: 'grant' }])
    expect((await project.orla(['call', 'fs'])).status).toBe(0)
  })

  it('of an archive is accepted before its tests run', async () => {
    const project = makeProject({
      ...below('fs', packageFiles('fs', '1.0.0', READ)),
      'fs/tests/says.test.json': '{"name":"says","input":{},"assertions":[]}',
    })
    expect(await project.orla(['pack', 'fs'])).toMatchObject({ status: 0 })
    expect(await project.orla(['test', 'fs-1.0.0.tar.gz'])).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/filesystem:read/),
    })
    expect((await project.orla(['test', 'fs'])).status).not.toBe(3)
    expect((await project.orla(['test', 'fs-1.0.0.tar.gz', '--yes'])).status).not.toBe(3)
  })
})

describe('Q90: a package that came with a repository, its receipt with it', () => {
  it('is listed and not run, until a person says so', async () => {
    const project = await foreign()
    expect((await project.orla(['list'])).stdout).toMatch(/fs/)
    const denied = await project.orla(['call', 'fs'])
    expect(denied).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringMatching(/orla grant fs@v1\.0\.0/),
    })
    expect((await project.orla(['grants'])).stdout).toMatch(/fs 1\.0\.0 {2}not accepted/)
    expect((await project.orla(['grant', 'fs'])).status).toBe(3)
    expect((await project.orla(['grant', 'fs@v1.0.0', '--yes'])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.0.0\n')
  })

  it('does not make later versions of the same source silent', async () => {
    const project = await foreign()
    project.write(below('src/fs', packageFiles('fs', '1.1.0', READ)))
    expect((await project.orla(['install', '--local', 'src/fs'])).status).toBe(3)
  })

  it('is accepted as a whole by an install that finds it as it should be', async () => {
    const project = await installed()
    await project.orla(['revoke', 'fs'])
    expect((await project.orla(['install', '--local', 'src/fs'])).status).toBe(3)
    expect((await project.orla(['install', '--local', 'src/fs', '--yes'])).stdout).toMatch(
      /installed already/,
    )
    expect((await project.orla(['call', 'fs'])).status).toBe(0)
  })

  it('Q90: granted again it is asked about at its next update, which is told, unless an install sees its source', async () => {
    const source = makeToolRepository('fs', ['1.0.0'], READ)
    const registries = registriesYaml(['home', makeRegistry({ fs: source })])
    const project = makeProject({ 'orla.yaml': `port: 0\n${registries}` })
    const again = async () => {
      expect((await project.orla(['revoke', 'fs'])).status).toBe(0)
      const granted = await project.orla(['grant', 'fs', '--yes'])
      expect(granted).toMatchObject({
        status: 0,
        stderr: expect.stringContaining('Its next update will ask again'),
      })
    }
    expect((await project.orla(['install', 'fs', '--yes'])).status).toBe(0)
    expect((await project.orla(['grant', 'fs', '--yes'])).stderr).not.toContain('update')
    await again()
    source.write(packageFiles('fs', '1.1.0', READ))
    source.commit('v1.1.0')
    expect((await project.orla(['update', 'fs'])).status).toBe(3)
    // Nothing is new in it: nobody is asked.
    expect((await project.orla(['install', 'fs@v1.0.0'])).status).toBe(0)
    expect((await project.orla(['update', 'fs'])).status).toBe(0)
    expect((await project.orla(['call', 'fs'])).stdout).toBe('fs 1.1.0\n')
  })

  it('is not started when it is a capsule either', async () => {
    const program = { 'src/fs/bin/fs': '#!/bin/sh\ntouch ~/ran\n' }
    const project = await foreign(
      `${READ}runtime:\n  mode: capsule\n  handshake: mcp\n  start: eager\n`,
      program,
    )
    // Its home is its own.
    const homes = join(project.env.ORLA_HOME ?? '', 'state/packages')
    const hasRun = () =>
      existsSync(homes) && readdirSync(homes).some((one) => existsSync(join(homes, one, 'ran')))
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    await client.list()
    expect(await project.orla(['list', '--json'])).toMatchObject({ status: 0 })
    expect(hasRun()).toBe(false)
    expect((await project.orla(['grant', 'fs', '--yes'])).status).toBe(0)
    await eventually(hasRun, 'it starts')
  })
})

describe('Q90: words', () => {
  it('are given and taken back one by one, and only those of the manifest', async () => {
    const project = await foreign('permissions: [filesystem:read, network]\n')
    expect(await project.orla(['grant', 'fs', 'env:X', '--yes'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/asks for filesystem:read, network/),
    })
    expect((await project.orla(['grant', 'fs', 'network', '--yes'])).status).toBe(0)
    expect(grantsOf(project)).toMatchObject([{ permissions: ['network'] }])
    expect((await project.orla(['call', 'fs'])).status).toBe(0)
    expect((await project.orla(['grant', 'fs', '--yes'])).status).toBe(0)
    expect((await project.orla(['revoke', 'fs', 'network'])).stdout).toMatch(/may not use network any more/)
    expect(grantsOf(project)).toMatchObject([{ permissions: ['filesystem:read'] }])
    expect((await project.orla(['revoke', 'fs', 'network'])).status).toBe(4)
    expect((await project.orla(['revoke', 'nothing'])).status).toBe(4)
  })

  it('that two processes write at once are both there', async () => {
    const project = await foreign()
    project.write(below('src/other', packageFiles('other', '2.0.0', READ)))
    const [one, two] = await Promise.all([
      project.orla(['grant', 'fs', '--yes']),
      project.orla(['install', '--local', 'src/other', '--yes']),
    ])
    expect([one.status, two.status]).toEqual([0, 0])
    expect(grantsOf(project).map(({ name }) => name)).toEqual(['fs', 'other'])
  })

  it('in a damaged file grant nothing, and every command says what to do', async () => {
    const project = await installed()
    const text = '{"v":1,"grants":[{"name":"fs"}]}'
    writeFileSync(grantsFile(project), text)
    const denied = await project.orla(['call', 'fs'])
    expect(denied).toMatchObject({ status: 3, stderr: expect.stringMatching(/grants\.json is damaged/) })
    const commands = [
      ['grants'],
      ['grant', 'fs', '--yes'],
      ['revoke', 'fs'],
      ['install', '--local', 'src/fs', '--yes'],
    ]
    for (const told of await Promise.all(commands.map((command) => project.orla(command)))) {
      expect(told).toMatchObject({ status: 1, stderr: expect.stringMatching(/remove it, and accept/) })
    }
    expect(readFileSync(grantsFile(project), 'utf8')).toBe(text)
  })
})

describe('Q90: a running server', () => {
  it('obeys at once what is taken back, and tells its log', async () => {
    const project = await installed()
    const server = await project.serve()
    const client = await connectHttp('v2-legacy', server.url)
    expect((await client.call('fs')).isError).toBeFalsy()
    expect((await project.orla(['revoke', 'fs'])).status).toBe(0)
    const denied = await client.call('fs')
    expect(denied).toMatchObject({ isError: true, _meta: { 'orla/reason': 'denied' } })
    expect(denied.content[0]?.text).toMatch(/orla grant fs@v1\.0\.0/)
    await server.record(({ msg, action }) => msg === 'grant' && action === 'taken back')
    const record = await server.record(({ msg, action }) => msg === 'grant' && action === 'denied')
    expect(record).toMatchObject({ package: 'fs', words: ['filesystem:read'] })
    expect((await project.orla(['grant', 'fs', '--yes'])).status).toBe(0)
    expect((await client.call('fs')).isError).toBeFalsy()
    await server.record(({ msg, action }) => msg === 'grant' && action === 'given')
  })

  it('ends a capsule whose package may not run any more, and starts one anew that may do less', async () => {
    const manifest = 'permissions: [filesystem:read, network]\nruntime:\n  mode: capsule\n  start: eager\n'
    const project = await installed(manifest, { 'src/fs/bin/fs': HELLO })
    const server = await project.serve()
    const pid = async () => {
      const { stdout } = await project.orla(['capsule', 'status', 'fs', '--json'])
      return /"state": "READY"[\s\S]*?"pid": (\d+)/.exec(stdout)?.[1]
    }
    const first = await eventually(pid, 'it runs')
    expect((await project.orla(['revoke', 'fs', 'network'])).status).toBe(0)
    const second = await eventually(async () => {
      const now = await pid()
      return now !== first && now
    }, 'another process')
    expect((await project.orla(['revoke', 'fs'])).status).toBe(0)
    await eventually(() => !isAlive(Number(second)), 'it is gone')
    expect(isAlive(Number(first))).toBe(false)
    expect((await project.orla(['grant', 'fs', '--yes'])).status).toBe(0)
    await eventually(pid, 'it runs again')
    expect((await (await connectHttp('v1', server.url)).call('fs')).isError).toBeFalsy()
  })

  it('ends the calls a capsule has with what is taken back, and lets them finish when it may do more', async () => {
    const manifest = 'permissions: [filesystem:read, network]\nruntime:\n  mode: capsule\n'
    const project = await installed(manifest, { 'src/fs/bin/fs': WAITING })
    const server = await project.serve()
    const client = await connectHttp('v1', server.url)
    const running = () => project.orla(['capsule', 'status', 'fs', '--json'])
    const begun = async () => (await running()).stdout.includes('"running": 1')
    const forGood = client.call('fs', { wait: 600_000 })
    await eventually(begun, 'the call runs')
    expect((await project.orla(['revoke', 'fs', 'network'])).status).toBe(0)
    const ended = await forGood
    expect(ended).toMatchObject({ isError: true, _meta: { 'orla/reason': 'crashed' } })
    expect(ended.content[0]?.text).toBe('`fs` lost something it could do and is started anew')
    const awhile = client.call('fs', { wait: 2_000 })
    await eventually(begun, 'the next call runs')
    expect((await project.orla(['grant', 'fs', '--yes'])).status).toBe(0)
    expect((await awhile).content[0]?.text).toBe('hello')
  })

  it.each(TRANSPORTS.flatMap((transport) => CLIENT_KINDS.map((kind) => [transport, kind] as const)))(
    'over %s asks the person in front of a %s client, once for all calls to come',
    async (transport, kind) => {
      const project = await foreign()
      const asked: string[] = []
      const person: Elicit = async ({ message }) => {
        asked.push(message)
        return { action: 'accept', content: { decision: answers.shift() ?? 'deny' } }
      }
      const answers = ['allow once', 'allow always']
      const connect = async (elicit?: Elicit) =>
        transport === 'http'
          ? connectHttp(kind, (await server())?.url ?? '', elicit)
          : connectStdio(kind, project, [], elicit)
      let running: ReturnType<Project['serve']> | undefined
      const server = () => {
        if (transport === 'http') running ??= project.serve()
        return running
      }
      const mute = await connect()
      expect(await mute.call('fs')).toMatchObject({ isError: true, _meta: { 'orla/reason': 'denied' } })

      const client = await connect(person)
      for (const times of [1, 2, 2]) {
        const answer = await client.call('fs')
        expect(answer).toMatchObject({ content: [{ text: 'fs 1.0.0\n' }] })
        expect(asked).toHaveLength(times)
      }
      expect(asked[0]).toMatch(/it reads ALL your files, except secrets \(filesystem:read\)/)
      expect(grantsOf(project)).toMatchObject([{ name: 'fs', how: 'elicitation' }])
      expect((await mute.call('fs')).isError).toBeFalsy()
    },
  )

  it.each(CLIENT_KINDS)('takes anything but a yes of a %s client for a no', async (kind) => {
    const project = await foreign()
    const server = await project.serve()
    for (const answer of [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { decision: 'deny' } },
    ] as const) {
      const client = await connectHttp(kind, server.url, async () => answer)
      const denied = await client.call('fs')
      expect(denied).toMatchObject({ isError: true, _meta: { 'orla/reason': 'denied' } })
    }
    expect(() => statSync(grantsFile(project))).toThrow()
  })

  it.each(CLIENT_KINDS)('remembers the no of a %s client over stdio for the connection', async (kind) => {
    const project = await foreign()
    let asked = 0
    const client = await connectStdio(kind, project, [], async () => {
      asked++
      return { action: 'decline' }
    })
    for (let call = 0; call < 2; call++) {
      expect(await client.call('fs')).toMatchObject({ isError: true, _meta: { 'orla/reason': 'denied' } })
    }
    expect(asked).toBe(1)
  })

  it('asks once for calls that come at once, and lets go of a call that is taken back', async () => {
    const project = await foreign()
    const server = await project.serve()
    let asked = 0
    let say: (decision: string) => void = () => {}
    const client = await connectHttp('v1', server.url, () => {
      asked++
      return new Promise((resolve) => {
        say = (decision) => resolve({ action: 'accept', content: { decision } })
      })
    })
    const stop = new AbortController()
    const first = client.call('fs', {}, stop.signal).catch(() => 'taken back')
    await eventually(() => asked === 1, 'the first question')
    const others = [client.call('fs'), client.call('fs')]
    stop.abort()
    expect(await first).toBe('taken back')
    await eventually(() => asked === 2, 'the question of the next call')
    say('allow always')
    for (const answer of await Promise.all(others)) expect(answer.isError).toBeFalsy()
    expect(asked).toBe(2)
  })
})
