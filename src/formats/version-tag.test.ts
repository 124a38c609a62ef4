import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { checkTagWord, chooseTag, parseTag } from './version-tag.ts'

describe('tags', () => {
  it('Q65: only v and a version count', () => {
    expect(parseTag('v1.2.3-rc.1+b')).toEqual({
      major: 1,
      minor: 2,
      patch: 3,
      prerelease: ['rc', '1'],
      build: ['b'],
    })
    for (const tag of ['1.2.3', 'V1.2.3', 'v1.2', 'vv1.2.3', 'v1.2.3 ', 'release-1.2.3', 'v', '']) {
      expect(parseTag(tag)).toBeNull()
    }
  })

  it('Q64: without a version, the latest stable one is chosen', () => {
    expect(chooseTag(['v0.9.0', 'v0.10.0', 'v1.0.0-rc.1', '2.0.0', 'nightly'])).toBe('v0.10.0')
  })

  it('Q65: a pre-release only when there is nothing else', () => {
    expect(chooseTag(['v1.0.0-alpha.2', 'v1.0.0-alpha.10'])).toBe('v1.0.0-alpha.10')
    expect(chooseTag(['main', '1.0.0'])).toBeUndefined()
    expect(chooseTag([])).toBeUndefined()
  })

  it('Q64: chooses what semver calls the greatest, whatever the order', () => {
    const tag = fc
      .tuple(
        fc.nat({ max: 3 }),
        fc.nat({ max: 12 }),
        fc.nat({ max: 3 }),
        fc.constantFrom('', '-rc.1', '-rc.2'),
      )
      .map(([major, minor, patch, rest]) => `v${major}.${minor}.${patch}${rest}`)
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), (tags) => {
        const stable = tags.filter((one) => !one.includes('-'))
        const best = (stable.length > 0 ? stable : tags).toSorted(semver.compare).at(-1)
        expect(chooseTag(tags)).toBe(best)
      }),
    )
  })

  it('Q66: a tag or latest stands behind the name', () => {
    expect(checkTagWord('v1.0.0')).toBeUndefined()
    expect(checkTagWord('v1.0.0-rc.1+build.5')).toBeUndefined()
    expect(checkTagWord('latest')).toBeUndefined()
  })

  it.each([
    ['1.0.0', 'tags begin with v; write v1.0.0'],
    ['', 'it is empty; write v1.0.0 or latest'],
    ['^1.0.0', 'ranges are not supported; write one tag such as v1.0.0, or latest'],
    [
      'v1.0',
      'it is neither v and a version, such as v1.0.0, nor latest (a version has three numbers: 1.0.0)',
    ],
    ['main', 'it is neither v and a version, such as v1.0.0, nor latest'],
  ])('Q66: %j is refused with what to type', (word, reason) => {
    expect(checkTagWord(word)).toBe(reason)
  })

  it('refuses what could mean something to git or a shell', () => {
    for (const word of ['-rf', '--upload-pack=x', '../x', 'v1.0.0\n', 'v1.0.0/..', 'refs/tags/v1.0.0']) {
      expect(checkTagWord(word)).toBeDefined()
    }
  })
})
