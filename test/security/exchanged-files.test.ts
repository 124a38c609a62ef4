import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { buildLauncher, hasCompiler } from '../../src/platform/process/launcher/launcher.contract.ts'
import { createLauncherStarter } from '../../src/platform/process/launcher/starter.ts'
import { request, until } from '../../src/platform/process/starter.contract.ts'
import { probeTiers, type SandboxHost } from '../../src/platform/sandbox/probe.ts'
import { resolveProfile } from '../../src/platform/sandbox/resolve-profile.ts'
import { createSandboxedStarter } from '../../src/platform/sandbox/starter.ts'

// Not in /tmp: every sandbox has its own, where one may write.
const folder = realpathSync(mkdtempSync('/var/tmp/exchanged-'))
const at = (...names: readonly string[]) => join(folder, ...names)
const own = at('home/.orla/run/sandbox')
const outer = createLauncherStarter({ path: buildLauncher() })
for (const path of [
  'project/data',
  'project/.git',
  'project/deep/tools',
  'package',
  'home/.orla/run/sandbox',
]) {
  mkdirSync(at(path), { recursive: true })
}
const host: SandboxHost = hasCompiler
  ? await probeTiers({ starter: outer, launcher: outer, folder: own })
  : { tiers: [] }
afterAll(async () => {
  await outer.close()
  rmSync(folder, { recursive: true, force: true })
})

const profile = resolveProfile(null, {
  package: at('package'),
  workspace: at('project'),
  state: at('home/.orla/state/spy'),
  home: at('home'),
  toolsFolder: at('project/deep/tools'),
  orlaHome: at('home/.orla'),
  programFolders: [],
})

/** Waits until somebody outside has exchanged the files, as an editor does when it saves and a person when they move. */
const ATTACK = request('/bin/sh', [
  '-c',
  `cd ${at('project')}; echo > data/ready; until [ -e data/go ]; do sleep 0.02; done
echo evil >> orla.yaml && echo ESCAPED; echo evil > deep/tools/evil && echo ESCAPED; echo tried`,
])

async function whileItRuns(start: () => Promise<string>): Promise<string> {
  const ended = start()
  await until(() => existsSync(at('project/data/ready')))
  writeFileSync(at('project/new.yaml'), 'port: 2\n')
  renameSync(at('project/new.yaml'), at('project/orla.yaml'))
  renameSync(at('project/deep/tools'), at('project/deep/old'))
  mkdirSync(at('project/deep/tools'))
  writeFileSync(at('project/data/go'), '')
  return ended
}

beforeEach(() => {
  for (const name of ['data/ready', 'data/go', 'deep/old']) {
    rmSync(at('project', name), { recursive: true, force: true })
  }
  writeFileSync(at('project/orla.yaml'), 'port: 1\n')
})

describe.skipIf(!hasCompiler)('a protected file that somebody outside exchanges while a program runs', () => {
  it('Q91: can be written when nothing holds the program', async () => {
    const said = await whileItRuns(async () => (await outer.run(ATTACK)).stdout.toString())
    expect(said).toBe('ESCAPED\nESCAPED\ntried\n')
    expect(readFileSync(at('project/orla.yaml'), 'utf8')).toBe('port: 2\nevil\n')
    rmSync(at('project/deep/tools'), { recursive: true })
    mkdirSync(at('project/deep/tools'))
  })

  for (const backend of ['bwrap', 'landlock'] as const) {
    const tiers = host.tiers.filter((tier) => tier.backend === backend)
    const name = tiers.length > 0 ? backend : `${backend}: skipped, it does not work on this host`
    describe.skipIf(tiers.length === 0)(`in ${name}`, () => {
      const starter = createSandboxedStarter({
        starter: outer,
        launcher: outer,
        probe: () => Promise.resolve({ ...host, tiers }),
        folder: own,
      })
      const wish = { profile, accepted: ['metadata of files', 'number of processes'] }

      async function stay(): Promise<string> {
        const opened = await starter.open({ ...ATTACK, ...wish })
        if ('problem' in opened) throw opened.error
        const said = text(opened.stdout)
        await opened.exited
        return said
      }

      it.each([
        ['that serves one call', async () => (await starter.run({ ...ATTACK, ...wish })).stdout.toString()],
        ['that stays', stay],
      ])('Q91: stays protected from one %s', async (_, start) => {
        expect(await whileItRuns(start)).toBe('tried\n')
        expect(readFileSync(at('project/orla.yaml'), 'utf8')).toBe('port: 2\n')
        expect(readdirSync(at('project/deep/tools'))).toEqual([])
      })
    })
  }
})
