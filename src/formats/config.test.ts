import { describe, expect, it } from 'vitest'
import { CONFIG, SETTINGS, toConfig } from './config.ts'
import type { Issue } from './shape.ts'
import { loadYaml } from './yaml.ts'

describe('settings', () => {
  it('Q22: names each setting once, with its variable and a default', () => {
    const keys = SETTINGS.map((setting) => setting.key)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keys.slice(0, 5)).toEqual(['tools_dir', 'port', 'timeout', 'log_format', 'log_level'])
    expect(SETTINGS.find(({ key }) => key === 'limits.session_idle')?.env).toBe('ORLA_LIMITS_SESSION_IDLE')
  })

  it.each([
    ['timeout', '30', 30_000],
    ['timeout', '500ms', 500],
    ['timeout', '2m', 120_000],
    ['limits.output', '10MB', 10_000_000],
    ['limits.output', '1GiB', 1_073_741_824],
    ['watch', 'no', false],
    ['watch', '1', true],
    ['port', '0', 0],
    [
      'registries',
      'team=../r, b=https://x/y=z',
      [
        { name: 'team', url: '../r' },
        { name: 'b', url: 'https://x/y=z' },
      ],
    ],
    ['versions', 'fs=v1.0.0, http=2.1.0-rc.1', { fs: '1.0.0', http: '2.1.0-rc.1' }],
    ['global_tools', 'false', false],
    ['update_notice', 'off', false],
  ])('reads %s from the text %s', (key, written, expected) => {
    expect(readSetting(key, written)).toEqual({ value: expected, issues: [] })
  })

  it.each([
    ['timeout', '-1'],
    ['timeout', '5 parsecs'],
    ['port', '70000'],
    ['port', '80.5'],
    ['port', 'tcp://10.0.0.1:80'],
    ['watch', 'maybe'],
    ['log_level', 'loud'],
    ['registries', 'https://example.com/registry'],
    ['registries', 'Team=x'],
    ['registries', 'a=--evil'],
    ['registries', 'a=ext::sh'],
    ['registries', 'a=x,a=y'],
    ['versions', 'fs'],
    ['versions', 'fs=^1.0.0'],
    ['versions', '../x=1.0.0'],
  ])('refuses %s from the text %s', (key, written) => {
    expect(readSetting(key, written).issues).toHaveLength(1)
  })
})

describe('settings of packages', () => {
  it('Q94, Q67: are lists and maps in the file', async () => {
    const { value, problems } = (await loadYaml())(
      'registries:\n  - {name: team, url: git@host:team/r.git}\nversions: {fs: v1.0.0}\n',
      'orla.yaml',
      CONFIG,
    )
    expect(problems).toEqual([])
    expect(value).toEqual({
      registries: [{ name: 'team', url: 'git@host:team/r.git' }],
      versions: { fs: '1.0.0' },
    })
  })

  it('Q56: one registry is asked by default', () => {
    const values = new Map(SETTINGS.map(({ key, fallback }): [string, unknown] => [key, fallback]))
    expect(toConfig(values)).toMatchObject({
      registries: [{ name: 'default', url: 'https://github.com/dorcha-inc/orla-registry' }],
      versions: {},
      globalTools: true,
      updateNotice: true,
    })
  })

  it('says which version to quote', async () => {
    const { problems } = (await loadYaml())('versions:\n  fs: 1.10\n', 'orla.yaml', CONFIG)
    expect(problems[0]).toMatchObject({ line: 2, hint: 'put it in quotes: fs: "1.10.0"' })
  })
})

describe('the sandbox setting', () => {
  const read = async (text: string) => (await loadYaml())(text, 'orla.yaml', CONFIG)

  it('Q91: is a word, or a map for more', async () => {
    expect((await read('sandbox: require\n')).value).toEqual({ sandbox: { mode: 'require' } })
    expect((await read('sandbox: off\n')).value).toEqual({ sandbox: { mode: 'off' } })
    expect((await read('sandbox: {mode: auto, loose: true}\n')).value).toEqual({
      sandbox: { mode: 'auto', loose: true },
    })
    expect(SETTINGS.find(({ key }) => key === 'sandbox.mode')?.env).toBe('ORLA_SANDBOX')
  })

  it('Q91: says which words there are', async () => {
    const { problems } = await read('sandbox: required\n')
    expect(problems[0]).toMatchObject({ line: 1, hint: 'did you mean require?' })
  })
})

function readSetting(key: string, written: string) {
  const issues: Issue[] = []
  const shape = SETTINGS.find((setting) => setting.key === key)?.shape
  return { value: shape?.read(shape.fromText(written), [], issues), issues }
}
