import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Permission, SandboxProfile } from '../../src/model/index.ts'
import { createNodeStarter } from '../../src/platform/process/node-starter.ts'
import type { ProcessEnd, ProcessRequest } from '../../src/platform/process/starter.ts'
import { probeTiers, type SandboxHost } from '../../src/platform/sandbox/probe.ts'
import { resolveProfile, type SandboxPlace } from '../../src/platform/sandbox/resolve-profile.ts'
import { createSandboxedStarter } from '../../src/platform/sandbox/starter.ts'
import { attacksOn, requestIn } from './attack-kit.ts'

const isMac = process.platform === 'darwin'
const where = isMac ? 'on this Mac' : 'skipped: Seatbelt is part of macOS, and this is not'

describe.skipIf(!isMac)(`what Seatbelt holds, ${where}`, () => {
  // What is skipped is read all the same, and must leave nothing behind.
  const folder = isMac ? realpathSync(mkdtempSync('/var/tmp/seatbelt-')) : '/nowhere'
  const place: SandboxPlace = {
    package: join(folder, 'project/tools/spy/1.0.0'),
    workspace: join(folder, 'project'),
    state: join(folder, 'home/.orla/state/spy'),
    home: join(folder, 'home'),
    toolsFolder: join(folder, 'project/tools'),
    orlaHome: join(folder, 'home/.orla'),
    programFolders: ['/usr/bin'],
  }
  const own = join(place.orlaHome, 'run/sandbox')
  const outer = createNodeStarter()
  const greet = (socket: Socket) => socket.on('error', () => {}).end('hello')
  const tcp = createServer(greet)
  const unix = createServer(greet)
  const target = { place, own, port: 0, victim: 0 }
  let victim: ChildProcess | undefined
  let host: SandboxHost = { tiers: [] }

  beforeAll(async () => {
    victim = spawn('/bin/sleep', ['600'], { stdio: 'ignore' })
    target.victim = victim.pid ?? 0
    for (const path of [place.package, own, join(place.home, '.ssh'), join(place.workspace, 'data')])
      mkdirSync(path, { recursive: true })
    mkdirSync(join(place.workspace, '.git/hooks'), { recursive: true })
    writeFileSync(join(place.home, '.ssh/id'), 'PRIVATE KEY')
    writeFileSync(join(place.home, 'notes'), 'my notes')
    writeFileSync(join(own, 'kept'), 'of Orla')
    writeFileSync(join(place.workspace, 'notes'), 'project notes')
    writeFileSync(join(place.workspace, 'data/in'), 'data')
    await once(tcp.listen(0, '127.0.0.1'), 'listening')
    await once(unix.listen(join(place.workspace, 'host.sock')), 'listening')
    target.port = (tcp.address() as AddressInfo).port
    host = await probeTiers({ starter: outer, folder: own })
  })
  afterAll(async () => {
    victim?.kill('SIGKILL')
    tcp.close()
    unix.close()
    await outer.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const request = requestIn(place)
  const shell = (text: string) => request('/bin/sh', ['-c', text])
  const printed = ({ stdout, stderr }: ProcessEnd) => stdout.toString() + stderr.toString()
  async function run(permissions: readonly Permission[] | null, wanted: ProcessRequest) {
    const starter = createSandboxedStarter({
      starter: outer,
      probe: () => Promise.resolve(host),
      folder: own,
    })
    const profile: SandboxProfile = resolveProfile(permissions, place)
    const { backend, unenforced } = await starter.explain(profile)
    expect(backend).toBe('seatbelt')
    return starter.run({ ...wanted, profile, accepted: unenforced })
  }
  const file = (access: 'read' | 'write', below: string): Permission => ({
    kind: 'filesystem',
    access,
    path: { base: 'workspace', below },
  })

  it('Q91: is found by a trial', () => {
    expect(host.missing).toEqual({})
    expect(host.tiers.map(({ backend }) => backend)).toEqual(['seatbelt', 'none'])
  })

  describe.each(attacksOn(target, request).map(([name], index) => ({ name, index })))(
    'a program that $name',
    ({ index }) => {
      const attack = () => attacksOn(target, request)[index]?.[1]() ?? shell('')

      it('Q91: escapes when nothing holds it', async () => {
        expect(printed(await outer.run(attack()))).toContain('ESCAPED')
      })

      it('Q91: does so in vain', async () => {
        const end = await run(null, attack())
        expect(printed(end)).toMatch(/tried|failed/)
        expect(printed(end)).not.toContain('ESCAPED')
      })
    },
  )

  it('Q91: shows its package, its own home and a temporary folder, and nothing of the project', async () => {
    writeFileSync(join(place.package, 'file'), 'mine\n')
    const text = `cat file; echo $HOME; echo kept > ~/kept; echo x > $TMPDIR/y && echo tmp; cat ${place.workspace}/notes`
    const end = await run([], shell(text))
    expect(end.stdout.toString()).toBe(`mine\n${place.state}\ntmp\n`)
    expect(readFileSync(join(place.state, 'kept'), 'utf8')).toBe('kept\n')
  })

  it('Q91: makes no protected file where there was none, in no spelling', async () => {
    const attack = `cd ${place.workspace}; for name in orla.lock Orla.Lock .mcp; do echo x > $name && echo ESCAPED; done; echo x > data/other && echo new`
    const end = await run(null, shell(attack))
    expect(end.stdout.toString()).toBe('new\n')
    expect(existsSync(join(place.workspace, 'orla.lock'))).toBe(false)
  })

  it('Q91: moves nothing away on which a protected part stands', async () => {
    const attack = `mv ${place.workspace} ${place.state}/p && echo ESCAPED; cd ${place.workspace}; mv .git .git2 && echo ESCAPED; echo x > .git/hooks/x && echo ESCAPED; ln data/in ${place.state}/hard; echo tried`
    expect(printed(await run(null, shell(attack)))).not.toContain('ESCAPED')
    expect(existsSync(join(place.workspace, '.git/hooks'))).toBe(true)
  })

  it('Q91: gives what was named, to read or to write, and not what lies beside it', async () => {
    const { data, notes } = { data: join(place.workspace, 'data'), notes: join(place.workspace, 'notes') }
    const reads = await run(
      [file('read', 'data')],
      shell(`cat ${data}/in; cat ${notes}; echo x > ${data}/out`),
    )
    expect(reads.stdout.toString()).toBe('data')
    await run([file('write', 'data')], shell(`echo x > ${data}/out`))
    expect(readFileSync(join(data, 'out'), 'utf8')).toBe('x\n')
  })

  it('Q91: is not led out of the project by a link where a granted folder was', async () => {
    const data = join(place.workspace, 'data')
    renameSync(data, `${data}.away`)
    symlinkSync(join(place.home, '.ssh'), data)
    try {
      expect(await run([file('read', 'data')], shell(`cat ${data}/id`))).toMatchObject({
        cause: 'spawn',
        problem: { kind: 'denied' },
      })
    } finally {
      rmSync(data)
      renameSync(`${data}.away`, data)
    }
  })

  it('Q91: reads ALL files, but not keys', async () => {
    const text = `cat ${place.home}/notes; cat ${place.home}/.ssh/id; cat /System/Volumes/Data${place.home}/.ssh/id; echo x > ${place.home}/planted`
    const end = await run([{ kind: 'filesystem', access: 'read', path: null }], shell(text))
    expect(end.stdout.toString()).toBe('my notes')
    expect(existsSync(join(place.home, 'planted'))).toBe(false)
  })

  it('Q91: connects where it may, and still to no socket of the host', async () => {
    const attack = (part: string) => {
      const [, make] = attacksOn(target, request).find(([name]) => name.includes(part)) ?? []
      if (make === undefined) throw new Error('no such attack')
      return make()
    }
    const network: Permission = { kind: 'network', host: null, port: null }
    expect(printed(await run([network], attack('TCP')))).toContain('ESCAPED')
    expect(printed(await run([network, file('read', '')], attack('socket of the host')))).toContain('failed')
    const socket: Permission = { kind: 'socket', path: { base: 'workspace', below: 'host.sock' } }
    expect(printed(await run([socket], attack('socket of the host')))).toContain('ESCAPED')
  })

  it('runs Node and Python', async () => {
    const node = await run([], request(process.execPath, ['-e', 'console.log(os.homedir())']))
    expect(printed(node)).toBe(`${place.state}\n`)
    const python = await run([], request('/usr/bin/python3', ['-c', 'import json, tempfile; print(1)']))
    expect(printed(python)).toContain('1\n')
  })
})
