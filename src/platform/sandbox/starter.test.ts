import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { SandboxBackend } from '../../model/index.ts'
import { buildLauncher, hasCompiler } from '../process/launcher/launcher.contract.ts'
import { createLauncherStarter } from '../process/launcher/starter.ts'
import { createNodeStarter } from '../process/node-starter.ts'
import { describeStarter, mentioning, newTag, request, until } from '../process/starter.contract.ts'
import type { ProcessStarter } from '../process/starter.ts'
import { probeTiers, type SandboxHost } from './probe.ts'
import { resolveProfile } from './resolve-profile.ts'
import { createSandboxedStarter } from './starter.ts'

const path = buildLauncher()
// Not in /tmp: every sandbox has its own.
const folder = realpathSync(mkdtempSync('/var/tmp/sandboxed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const own = join(folder, 'own')

/** Allowed so much that every program of the contract finds what it wants. */
const wide = resolveProfile(
  [
    { kind: 'filesystem', access: 'write', path: null },
    { kind: 'network', host: null, port: null },
  ],
  {
    package: folder,
    workspace: '/',
    state: join(folder, 'state'),
    home: join(folder, 'home'),
    toolsFolder: join(folder, 'tools'),
    orlaHome: join(folder, 'home/.orla'),
    programFolders: [],
  },
)

async function probe(): Promise<SandboxHost> {
  const starter = createLauncherStarter({ path })
  try {
    return await probeTiers({ starter, launcher: starter, folder: own })
  } finally {
    await starter.close()
  }
}

const host: SandboxHost = hasCompiler ? await probe() : { tiers: [] }
const has = (wanted: SandboxBackend) => host.tiers.some(({ backend }) => backend === wanted)

/** A starter that confines whatever it is asked to start. */
function confining(backend: SandboxBackend): ProcessStarter {
  const starter = createLauncherStarter({ path })
  const tiers = host.tiers.filter((tier) => tier.backend === backend)
  const sandboxed = createSandboxedStarter({
    starter,
    launcher: starter,
    probe: () => Promise.resolve({ ...host, tiers }),
    folder: own,
  })
  const wish = {
    profile: wide,
    accepted: ['metadata of files', 'number of processes'],
  }
  return {
    run: (wanted) => sandboxed.run({ ...wanted, ...wish }),
    open: (wanted) => sandboxed.open({ ...wanted, ...wish }),
    close: () => sandboxed.close(),
  }
}

describe.skipIf(!hasCompiler)('the starter that holds programs to a profile', () => {
  for (const backend of ['landlock', 'bwrap'] as const) {
    describe.skipIf(!has(backend))(backend, () => describeStarter('as a starter', () => confining(backend)))
  }
})
describe.skipIf(!hasCompiler)('what a host is found to have', () => {
  it('Q91: is found once, and again when nothing is the same', async () => {
    const kept = join(own, 'probe.json')
    const before = statSync(kept).mtimeMs
    expect(await probe()).toEqual(host)
    expect(statSync(kept).mtimeMs).toBe(before)
    const text = readFileSync(kept, 'utf8')
    writeFileSync(kept, text.replace(/"key":"[^"]*"/, '"key":"another boot"'))
    expect(await probe()).toEqual(host)
    expect(readFileSync(kept, 'utf8')).toBe(text)
  })

  it('Q91: without the launcher is less, and that is said', async () => {
    const starter = createNodeStarter()
    const without = join(folder, 'without')
    const found = await probeTiers({ starter, folder: without })
    expect(found.tiers.map(({ backend }) => backend)).toEqual(has('bwrap') ? ['bwrap', 'none'] : ['none'])
    // What was found with a launcher counts for nothing when there is none any more.
    const sandboxed = createSandboxedStarter({ starter, probe: () => Promise.resolve(host), folder: without })
    const { unenforced } = await sandboxed.explain(wide)
    expect(unenforced.includes('files')).toBe(!has('bwrap'))
    const end = await sandboxed.run({ ...request('/bin/echo', ['ran']), profile: wide, accepted: unenforced })
    expect(end.stdout.toString()).toBe('ran\n')
    await sandboxed.close()
  })
})

describe.skipIf(!has('bwrap'))('a program that stays, in bwrap', () => {
  it('Q91: is gone with everything inside when bwrap is killed', async () => {
    const tag = newTag()
    const starter = confining('bwrap')
    const opened = await starter.open(
      request('/bin/sh', ['-c', `setsid sleep 600.${tag} & sleep 600.${tag}`]),
    )
    if ('problem' in opened) throw opened.error
    await until(() => mentioning(`600.${tag}`).length >= 3)
    process.kill(opened.pid, 'SIGKILL')
    await opened.exited
    await until(() => mentioning(tag).length === 0)
    await starter.close()
  })
})
