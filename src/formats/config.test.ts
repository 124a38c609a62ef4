import { describe, expect, it } from 'vitest'
import { SETTINGS } from './config.ts'
import type { Issue } from './shape.ts'

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
  ])('refuses %s from the text %s', (key, written) => {
    expect(readSetting(key, written).issues).toHaveLength(1)
  })
})

function readSetting(key: string, written: string) {
  const issues: Issue[] = []
  const shape = SETTINGS.find((setting) => setting.key === key)?.shape
  return { value: shape?.read(shape.fromText(written), [], issues), issues }
}
