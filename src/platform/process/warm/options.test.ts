import { describe, expect, it } from 'vitest'
import { createDemand } from './demand.ts'
import { startingEnvironment } from './environment.ts'
import { languageOf } from './language.ts'
import { understandsOptions } from './options.ts'

describe('what a warm interpreter is trusted with', () => {
  it('knows interpreters by name', () => {
    expect(['python3', '/opt/x/python3.12', 'python'].map(languageOf)).toEqual(['python', 'python', 'python'])
    expect(['node', '/usr/bin/nodejs'].map(languageOf)).toEqual(['node', 'node'])
    expect(['pypy3', 'python2', 'python3-config', 'deno', '/node/bun'].map(languageOf)).toEqual(
      Array.from({ length: 5 }, () => undefined),
    )
  })

  it.each([[['-u', '-B']], [['-uBIs']], [['-W', 'error', '-X', 'utf8=1']], [['-Wignore', '-OO']], [[]]])(
    'Python with %j',
    (options) => expect(understandsOptions('python', options)).toBe(true),
  )
  it.each([
    [['-m']],
    [['-c']],
    [['-um']],
    [['-W']],
    [['-W', 'error::pkg.Warning']],
    [['-X', 'dev']],
    [['-S']],
    [['script']],
    [['--']],
    [['-']],
  ])('not Python with %j', (options) => expect(understandsOptions('python', options)).toBe(false))

  it.each([[['--no-warnings']], [['--max-old-space-size=64', '--experimental-strip-types']]])(
    'Node with %j',
    (options) => expect(understandsOptions('node', options)).toBe(true),
  )
  it.each([
    [['-r', 'x']],
    [['-e']],
    [['--import', 'x']],
    [['--inspect']],
    [['--experimental-loader=x']],
    [['--experimental-permission']],
    [['--test']],
    [['--max-old-space-size', '64']],
    [['-']],
  ])('not Node with %j', (options) => expect(understandsOptions('node', options)).toBe(false))

  it('starts with the variables that matter then, and with none it cannot judge', () => {
    const env = { PATH: '/bin', COLOUR: 'blue', PYTHONUTF8: '1', NODE_OPTIONS: '--no-warnings', LC_ALL: 'C' }
    expect(startingEnvironment('node', env)).toEqual({
      PATH: '/bin',
      PYTHONUTF8: '1',
      NODE_OPTIONS: '--no-warnings',
      LC_ALL: 'C',
    })
    for (const more of [
      { PYTHONPATH: 'lib' },
      { PYTHONPATH: '/a::/b' },
      { PYTHONINSPECT: '1' },
      { LD_PRELOAD: 'x.so' },
    ])
      expect(startingEnvironment('python', { ...env, ...more })).toBe(undefined)
    for (const more of [{ NODE_OPTIONS: '-r x' }, { NODE_V8_COVERAGE: '/x' }, { LD_LIBRARY_PATH: 'lib' }])
      expect(startingEnvironment('node', { ...env, ...more })).toBe(undefined)
  })

  it('forgets demand', () => {
    const demand = createDemand()
    for (let at = 0; at < 10_000; at += 100) demand.note(at)
    expect(demand.perMs(10_000) * 1000).toBeCloseTo(10, -1)
    expect(demand.perMs(60_000)).toBeLessThan(1e-6)
  })
})
