import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { checkPackageName, isPackageName } from './package-name.ts'

describe('names of packages', () => {
  it('Q40: have lower-case letters, digits and hyphens', () => {
    for (const name of ['fs', 'a', '7zip', 'my-tool', 'a--b', 'x'.repeat(64)]) {
      expect(checkPackageName(name)).toBeUndefined()
    }
  })

  it.each([
    '',
    '-rf',
    'a-',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    'A',
    'a_b',
    'a b',
    'a\u0000',
    'a\u001b[2J',
    'ä',
    'x'.repeat(65),
  ])('Q40: %j is refused with a reason', (name) => {
    expect(isPackageName(name)).toBe(false)
    expect(checkPackageName(name)).toEqual(expect.any(String))
  })

  it('Q40: the reason proposes a name when one is near', () => {
    expect(checkPackageName('My_Tool')).toMatch(/My_Tool could be my-tool$/)
    expect(checkPackageName('../x')).not.toMatch(/could be/)
  })

  it('what passes means nothing to a file system, a shell or a terminal', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 8 }), (name) => {
        if (checkPackageName(name) === undefined) expect(name).toMatch(/^[a-z0-9][a-z0-9-]*$/)
      }),
    )
  })
})
