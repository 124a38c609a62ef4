import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createNodeStarter } from '../../process/node-starter.ts'
import type { ProcessEnd, ProcessRequest, ProcessStarter } from '../../process/starter.ts'
import { probeTiers } from '../probe.ts'
import { resolveProfile } from '../resolve-profile.ts'
import { createSandboxedStarter } from '../starter.ts'
import { type Behaviour, writeFakeSandboxExec } from './fake-sandbox-exec.contract.ts'
import { ATTEMPTS, type Attempt } from './trial.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'seatbelt-probe-')))
const starter = createNodeStarter()
afterAll(async () => {
  await starter.close()
  rmSync(root, { recursive: true, force: true })
})
const FORBIDDEN: readonly Attempt[] = ['other', 'beside', 'part', 'tcp', 'unix', 'signal']

const fresh = () => mkdtempSync(join(root, 'case-'))
function probe(behaviour: Behaviour, options: { folder?: string; by?: ProcessStarter } = {}) {
  const { folder = fresh(), by = starter } = options
  const sandboxExec = writeFakeSandboxExec(folder, behaviour)
  return probeTiers({ starter: by, folder, platform: 'darwin', sandboxExec, timeoutMs: 8_000 })
}
const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('orla-seatbelt-'))

describe('what macOS is found to hold', () => {
  it('Q91: is Seatbelt where a program inside is refused all that it reaches outside', async () => {
    const before = left()
    const host = await probe({ denies: FORBIDDEN })
    expect(host.missing).toEqual({})
    expect(host.tiers.map(({ backend }) => backend)).toEqual(['seatbelt', 'none'])
    expect(host.seatbelt?.path).toMatch(/sandbox-exec$/)
    expect(left()).toEqual(before)
  })

  it('Q91: is nothing where `sandbox-exec` runs programs and holds none', async () => {
    const { tiers, missing } = await probe({ denies: [] })
    expect(tiers.map(({ backend }) => backend)).toEqual(['none'])
    expect(missing?.seatbelt).toMatch(/^it does not hold: .*may not see.*network/)
  })

  it.each(FORBIDDEN)('Q91: is nothing where only this is not held: %s', async (leak) => {
    const { tiers, missing } = await probe({ denies: FORBIDDEN.filter((attempt) => attempt !== leak) })
    expect(tiers.map(({ backend }) => backend)).toEqual(['none'])
    expect(missing?.seatbelt).toBe(`it does not hold: a program in it ${ATTEMPTS[leak]}`)
  })

  it('Q91: is nothing where a program does not do what it may', async () => {
    expect((await probe({ denies: [...FORBIDDEN, 'granted'] })).missing?.seatbelt).toBe(
      'it holds too much: no program in it writes where it may',
    )
  })

  it('Q91: is nothing where `sandbox-exec` fails, and what it says is told', async () => {
    const { tiers, missing } = await probe('fails')
    expect(tiers.map(({ backend }) => backend)).toEqual(['none'])
    expect(missing?.seatbelt).toBe('sandbox-exec: sandbox_apply: Operation not permitted')
  })

  it('Q91: is nothing where nothing was run, whatever is said', async () => {
    expect((await probe('lies')).tiers.map(({ backend }) => backend)).toEqual(['none'])
  })

  it('Q91: is nothing where a program in it does not end, and that one is ended', async () => {
    const folder = fresh()
    const sandboxExec = writeFakeSandboxExec(folder, 'hangs')
    const options = { starter, folder, platform: 'darwin', sandboxExec, timeoutMs: 1_500 } as const
    const { tiers, missing } = await probeTiers(options)
    expect(tiers.map(({ backend }) => backend)).toEqual(['none'])
    expect(missing?.seatbelt).toMatch(/did not end|cannot be tried/)
  })

  it('Q91: is nothing where it is not there', async () => {
    const folder = fresh()
    const { missing } = await probeTiers({
      starter,
      folder,
      platform: 'darwin',
      sandboxExec: join(folder, 'x'),
    })
    expect(missing?.seatbelt).toBe(`${join(folder, 'x')} is not there`)
  })

  it('Q91: is nothing where the same program is refused outside as well: that proves nothing', async () => {
    const crippled: ProcessStarter = {
      ...starter,
      run: (request: ProcessRequest): Promise<ProcessEnd> =>
        starter.run({ ...request, file: '/bin/sh', args: ['-c', 'echo "{}"'] }),
    }
    const { missing } = await probe({ denies: FORBIDDEN }, { by: crippled })
    expect(missing?.seatbelt).toMatch(/^it cannot be tried: outside of it no program/)
  })

  it('Q91: is found once a day, and again when `sandbox-exec` is another', async () => {
    const folder = fresh()
    const kept = await probe({ denies: FORBIDDEN }, { folder })
    const text = readFileSync(join(folder, 'probe.json'), 'utf8')
    const options = {
      starter,
      folder,
      platform: 'darwin',
      sandboxExec: join(folder, 'sandbox-exec'),
    } as const
    expect(await probeTiers(options)).toEqual(kept)
    expect(readFileSync(join(folder, 'probe.json'), 'utf8')).toBe(text)
    expect((await probe({ denies: [] }, { folder })).tiers.map(({ backend }) => backend)).toEqual(['none'])
  })

  it('Q91: is never asked for on Linux', async () => {
    const folder = fresh()
    const sandboxExec = writeFakeSandboxExec(folder, { denies: FORBIDDEN })
    const host = await probeTiers({ starter, folder, platform: 'linux', sandboxExec })
    expect(host.tiers.map(({ backend }) => backend)).not.toContain('seatbelt')
    expect(host.missing).not.toHaveProperty('seatbelt')
  })
})

describe('a program that Seatbelt is to hold', () => {
  const folder = fresh()
  const place = {
    package: join(folder, 'project/tools/x'),
    workspace: join(folder, 'project'),
    state: join(folder, 'home/.orla/state/x'),
    home: join(folder, 'home'),
    toolsFolder: join(folder, 'project/tools'),
    orlaHome: join(folder, 'home/.orla'),
    programFolders: ['/usr/bin'],
  }
  for (const path of [place.package, place.home]) mkdirSync(path, { recursive: true })
  const command = writeFakeSandboxExec(folder, { denies: [] })
  const tier = { backend: 'seatbelt', launcher: false, filter: false, landlock: 0, counting: 'none' } as const
  const held = createSandboxedStarter({
    starter,
    probe: () => Promise.resolve({ tiers: [tier], seatbelt: { path: command } }),
    folder,
  })
  const shell = (text: string): ProcessRequest => ({
    file: '/bin/sh',
    args: ['-c', text],
    cwd: place.package,
    env: { PATH: '/usr/bin:/bin', HOME: '/nowhere', DYLD_INSERT_LIBRARIES: '/evil', KEPT: 'kept' },
    stdin: '',
    timeoutMs: 10_000,
    graceMs: 100,
    outputBytes: 65_536,
    signal: new AbortController().signal,
  })
  const accepted = ['kernel interfaces', 'network hosts']
  const run = (text: string) => held.run({ ...shell(text), profile: resolveProfile(null, place), accepted })

  it('Q91: says what it leaves open, which someone has to have accepted', async () => {
    const profile = resolveProfile([{ kind: 'network', host: 'example.com', port: 443 }], place, { cpuMs: 1 })
    expect(await held.explain(profile)).toEqual({
      backend: 'seatbelt',
      enforced: ['files', 'unix sockets', 'other processes'],
      unenforced: ['metadata of files', 'network hosts', 'kernel interfaces', 'processor time'],
    })
    const refused = await held.run({ ...shell('echo ran'), profile: resolveProfile(null, place) })
    expect(refused).toMatchObject({ cause: 'spawn', problem: { kind: 'denied' } })
    expect(refused.error?.message).toContain('kernel interfaces')
  })

  it('Q91: runs as itself, with its own home, and what steers a loader is set inside only', async () => {
    const end = await run('echo $HOME $TMPDIR $KEPT; echo $DYLD_INSERT_LIBRARIES; exit 7')
    expect(end.stdout.toString()).toBe(`${place.state} ${join(place.state, 'tmp')} kept\n/evil\n`)
    expect(end.exitCode).toBe(7)
  })

  it('keeps its own ends, and says when its program is not there', async () => {
    expect(await run('exit 137')).toMatchObject({ cause: 'exit', exitCode: 137, signal: null })
    expect(await run('exit 65')).toMatchObject({ cause: 'exit', exitCode: 65 })
    const gone = join(place.package, 'gone')
    const end = await held.run({ ...shell(''), file: gone, profile: resolveProfile([], place), accepted })
    expect(end).toMatchObject({ cause: 'spawn', problem: { kind: 'file-missing', path: gone } })
  })

  it('Q91: does not run where its sandbox cannot be made', async () => {
    const other = fresh()
    const failing = createSandboxedStarter({
      starter,
      probe: () =>
        Promise.resolve({ tiers: [tier], seatbelt: { path: writeFakeSandboxExec(other, 'fails') } }),
      folder: other,
    })
    const end = await failing.run({ ...shell('echo ran'), profile: resolveProfile(null, place), accepted })
    expect(end).toMatchObject({ cause: 'spawn', exitCode: null, stdout: Buffer.alloc(0) })
    expect(end.problem).toMatchObject({ message: expect.stringContaining('sandbox could not be made') })
  })

  it('Q91: a policy that is long goes through a private file, which goes with the program', async () => {
    for (let index = 0; index < 500; index++) {
      writeFileSync(join(place.workspace, `${'long name '.repeat(12)}${index}`), '')
    }
    const end = await run(`cd ${folder}; stat -c '%a %n' policy-* policy-*/*`)
    expect(end.stdout.toString()).toMatch(/^700 policy-\w+\n600 policy-\w+\/policy\.sb\n$/)
    expect(readdirSync(folder).filter((name) => name.startsWith('policy-'))).toEqual([])
  })

  it('Q91: is not handed the terminal of whoever asks, which it could type into', async () => {
    const wrapped = await held.wrap({ ...shell(''), profile: resolveProfile([], place), accepted })
    expect(wrapped).toMatchObject({ problem: { kind: 'denied' } })
  })

  it('runs a program whose path looks like a variable', async () => {
    const odd = join(place.package, 'a=b')
    writeFileSync(odd, '#!/bin/sh\necho odd $TMPDIR\n', { mode: 0o755 })
    const end = await held.run({
      ...shell(''),
      file: odd,
      args: [],
      profile: resolveProfile([], place),
      accepted,
    })
    expect(end.stdout.toString()).toBe(`odd ${join(place.state, 'tmp')}\n`)
  })
})
