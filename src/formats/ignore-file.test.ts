import { describe, expect, it } from 'vitest'
import { readIgnoreFile } from './ignore-file.ts'

describe('an ignore file', () => {
  it.each<[string, string, boolean]>([
    ['*.log', 'a.log', true],
    ['*.log', 'deep/er/a.log', true],
    ['*.log', 'a.log.txt', false],
    ['/a.log', 'deep/a.log', false],
    ['deep/*.log', 'deep/a.log', true],
    ['deep/*.log', 'deep/er/a.log', false],
    ['deep/**', 'deep/er/a.log', true],
    ['deep/**', 'deep', false],
    ['**/er/**', 'er/a.log', true],
    ['**/er/a.log', 'deep/er/a.log', true],
    ['deep/**/a.log', 'deep/a.log', true],
    ['?.log', 'ab.log', false],
    ['a+(b).log', 'a+(b).log', true],
    ['\\#a', '#a', true],
    ['# a', '# a', false],
    ['build/', 'build', false],
    ['', 'a', false],
    ['/', 'a', false],
  ])('%j of %j: %s', (line, path, isLeftOut) => {
    expect(readIgnoreFile(line)(path, false) === 'leave out').toBe(isLeftOut)
  })

  it('tells folders from files, and the last line decides', () => {
    const judge = readIgnoreFile('build/\r\n*.env\r\n!good.env\r\n')
    expect(judge('a/build', true)).toBe('leave out')
    expect(judge('a/bad.env', false)).toBe('leave out')
    expect(judge('a/good.env', false)).toBe('keep')
    expect(judge('a/else', false)).toBeUndefined()
  })

  it('takes no time for long rows of stars', () => {
    const judge = readIgnoreFile(`${'*a'.repeat(12)}b`)
    expect(judge('a'.repeat(200), false)).toBeUndefined()
  })
})
