import { describe, expect, it } from 'vitest'
import type { Log, SandboxSettings } from '../../model/index.ts'
import type { SandboxHost } from '../../platform/index.ts'
import { deniedWords } from './denied-words.ts'
import { checksOf } from './examine.ts'
import type { Means } from './means.ts'
import { checkPolicy } from './policy.ts'

const none = { backend: 'none', launcher: false, filter: false, landlock: 0, counting: 'none' } as const
const holds: SandboxHost = {
  tiers: [{ ...none, backend: 'seatbelt' }, none],
  seatbelt: { path: '/usr/bin/sandbox-exec' },
  missing: {},
}
const fails: SandboxHost = { tiers: [none], missing: { seatbelt: 'it does not hold: a program in it …' } }
const settings = (mode: SandboxSettings['mode'] = 'auto'): SandboxSettings => ({
  mode,
  loose: false,
  tier: 'auto',
})
const told = (host: SandboxHost, mode?: SandboxSettings['mode']) =>
  checksOf(host, { sandbox: settings(mode) })

describe('what is told on a Mac', () => {
  it('Q91: doctor says that Seatbelt is untested, what it holds and what it does not', () => {
    const [sandbox, seatbelt] = told(holds)
    expect(sandbox).toMatchObject({
      state: 'ok',
      message: expect.stringMatching(/^auto: packages are held by seatbelt \(untested: .*\); your own tools/),
    })
    expect(seatbelt).toMatchObject({
      name: 'sandbox seatbelt',
      message: expect.stringMatching(/files, network, .*not single hosts, not kernel interfaces/),
    })
    expect(told(holds).map(({ name }) => name)).toEqual(['sandbox', 'sandbox seatbelt', 'limits'])
  })

  it('Q91: doctor says why it does not hold, and nothing of what only Linux has', () => {
    const checks = told(fails)
    expect(checks[0]).toMatchObject({
      state: 'warns',
      message: expect.stringContaining('nothing here can hold'),
    })
    expect(checks[1]).toMatchObject({ state: 'warns', message: fails.missing?.seatbelt })
    expect(JSON.stringify(checks)).not.toMatch(/apt-get|bubblewrap|landlock|kernel\./i)
  })

  it('Q91: it is not enough for `require`', async () => {
    expect(told(holds, 'require')[0]).toMatchObject({
      state: 'fails',
      hint: expect.stringContaining('not enough for `require`'),
    })
    const quiet = { warn: () => {} } as unknown as Log // nothing else is asked of it
    for (const host of [holds, fails]) {
      const means = { host: () => Promise.resolve(host) } as unknown as Means // nor of these
      await expect(checkPolicy(settings('require'), means, quiet)).rejects.toMatchObject({
        code: 'E_REFUSED',
        hint: expect.not.stringContaining('apt-get'),
      })
      await expect(checkPolicy(settings(), means, quiet)).resolves.toBeUndefined()
    }
  })

  it('Q91: a package that is denied is not told to install what a Mac does not have', () => {
    const subject = { name: 'x', origin: { kind: 'loose', file: '/x' } } as const
    const words = (platform: NodeJS.Platform) =>
      deniedWords(subject, ['kernel interfaces'], 'seatbelt', 'auto', platform)
    expect(words('darwin')).toBe(
      'was not started: this host cannot hold it to its permissions (kernel interfaces); accept that with `orla grant x`',
    )
    expect(words('linux')).toContain('apt-get')
  })
})
