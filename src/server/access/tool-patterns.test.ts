import { describe, expect, it } from 'vitest'
import { createScopes, listedAccess, matcherOf } from './tool-patterns.ts'

describe('patterns of tool names', () => {
  it.each([
    ['fs.*', 'fs.read', true],
    ['fs.*', 'fs', false],
    ['fs.*', 'fsx.read', false],
    ['fs.*', 'xfs.read', false],
    ['fs.read', 'fs.read', true],
    ['fs.read', 'fsxread', false],
    ['*', 'anything', true],
    ['*.read', 'fs.read', true],
    ['*.read', 'fs.reads', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'acb', false],
    ['aa*aa', 'aaa', false],
    ['a*b*b', 'ab', false],
    ['**', '', true],
  ])('%s and %s: %s', (pattern, tool, fits) => expect(matcherOf([pattern])(tool)).toBe(fits))

  it('many stars take no time', () => {
    const started = performance.now()
    expect(matcherOf([`${'a*'.repeat(60)}b`])('a'.repeat(128))).toBe(false)
    expect(performance.now() - started).toBeLessThan(1_000)
  })

  it('no pattern opens nothing', () => expect(listedAccess([]).allows('x')).toBe(false))
})

describe('scopes', () => {
  const accessOf = createScopes({ files: ['fs.*'], all: ['*'] })

  it('open what they name; those that are not configured open nothing', () => {
    expect(accessOf(['files']).allows('fs.read')).toBe(true)
    expect(accessOf(['files']).allows('mail')).toBe(false)
    expect(accessOf(['files', 'all']).allows('mail')).toBe(true)
    expect(accessOf(['*', 'constructor', '__proto__']).allows('fs.read')).toBe(false)
    expect(accessOf([]).scopeFor('mail')).toBe('all')
    expect(accessOf([]).scopeFor('fs.read')).toBe('files')
  })

  it('the same ones are the same object, in whatever order and company they come', () => {
    expect(accessOf(['all', 'files'])).toBe(accessOf(['openid', 'files', 'all', 'files']))
  })
})
