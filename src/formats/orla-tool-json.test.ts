import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { readOrlaToolJson } from './orla-tool-json.ts'

const read = (value: unknown) => readOrlaToolJson(JSON.stringify(value, null, 2), 'orla-tool.json')
const LEAST = { name: 'example-tool', version: '1.2.3', entrypoint: 'main.py' }

describe('orla-tool.json', () => {
  it('Q46: three keys make a capsule, with one warning', () => {
    const { manifest, problems } = read(LEAST)
    expect(problems).toEqual([
      expect.objectContaining({
        severity: 'warning',
        message: 'orla-tool.json is deprecated',
        line: 1,
        column: 1,
      }),
    ])
    expect(manifest).toMatchObject({
      ...LEAST,
      description: 'Runs main.py',
      permissions: null,
      runtime: { mode: 'capsule', env: {}, args: [] },
    })
  })

  it('Q46: reads the optional keys of RFC 2 §6.3', () => {
    const { manifest } = read({
      ...LEAST,
      hot_load: { watch: ['./'], mode: 'restart', debounce_ms: 100 },
      env: { LOG_LEVEL: 'debug' },
      args: ['--fast'],
      startup_timeout_ms: 5000,
      author: 'someone',
    })
    expect(manifest?.runtime).toEqual({
      mode: 'capsule',
      env: { LOG_LEVEL: 'debug' },
      args: ['--fast'],
      startupTimeoutMs: 5000,
      hotLoad: { watch: ['.'], debounceMs: 100 },
    })
  })

  it('Q47: language changes nothing but what people read', () => {
    const { language, ...withLanguage } = read({ ...LEAST, language: 'python' }).manifest ?? {}
    expect(language).toBe('python')
    expect(withLanguage).toEqual(read(LEAST).manifest)
  })

  it('Q46: tells every problem with its place', () => {
    const { manifest, problems } = read({
      name: 'x',
      entrypoint: '/x',
      env: { A: 1 },
      hot_load: { mode: 'swap' },
    })
    expect(manifest).toBeUndefined()
    expect(problems.map(({ line, pointer }) => [line, pointer])).toEqual([
      [1, ''],
      [3, '/entrypoint'],
      [5, '/env/A'],
      [8, '/hot_load/mode'],
      [1, ''],
    ])
  })

  it('Q46: is JSON, not YAML', () => {
    const { manifest, problems } = readOrlaToolJson('name: x\nversion: 1.0.0\nentrypoint: y\n', 'f')
    expect(manifest).toBeUndefined()
    expect(problems.map(({ severity }) => severity)).toEqual(['warning', 'error'])
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.json()), (source) => {
        expect(readOrlaToolJson(source, 'f').problems.length).toBeGreaterThan(0)
      }),
    )
  })
})
