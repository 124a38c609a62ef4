import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { checkVersion, compareVersions, newestVersion, parseVersion } from './version.ts'

const number = fc.nat({ max: 12 })
const identifier = fc.oneof(
  fc.nat({ max: 20 }).map(String),
  fc.stringMatching(/^[a-zA-Z-][0-9A-Za-z-]{0,3}$/),
  fc.constantFrom('alpha', 'beta', 'rc', '0', 'x7z', '-', '--', '1-1'),
)
const identifiers = fc.array(identifier, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))
const version = fc
  .tuple(number, number, number, fc.option(identifiers), fc.option(identifiers))
  .map(
    ([major, minor, patch, pre, build]) =>
      `${major}.${minor}.${patch}${pre === null ? '' : `-${pre}`}${build === null ? '' : `+${build}`}`,
  )

describe('versions', () => {
  it('Q65: have the order of SemVer 2.0, pre-releases and build metadata included', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        const precedence = semver.compare(a, b)
        expect(compareVersions(a, b)).toBe(precedence || semver.compareBuild(a, b))
        expect(compareVersions(b, a) + compareVersions(a, b)).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  it('Q65: follow the example of the specification', () => {
    const ordered = [
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '2.0.0',
      '2.1.0',
      '2.1.1',
      '10.0.0',
    ]
    expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered)
  })

  it('Q39: are exactly what SemVer 2.0 allows', () => {
    fc.assert(
      fc.property(fc.oneof(version, fc.stringMatching(/^[0-9v.+a-z -]{0,12}$/), fc.string()), (text) => {
        const isVersion = semver.parse(text) !== null && /^\d/.test(text) && text === text.trim()
        expect(parseVersion(text) !== null).toBe(isVersion)
        expect(checkVersion(text) === undefined).toBe(isVersion)
      }),
      { numRuns: 2000 },
    )
  })

  it.each([
    ['v1.0.0', 'write 1.0.0, the v belongs to the tag'],
    ['1.0', 'a version has three numbers: 1.0.0'],
    ['2', 'a version has three numbers: 2.0.0'],
    ['01.0.0', 'three numbers, then -rc.1 for a pre-release: see semver.org'],
    ['', 'three numbers, then -rc.1 for a pre-release: see semver.org'],
  ])('Q45: %j gets a way out', (written, hint) => {
    expect(checkVersion(written)?.hint).toBe(hint)
  })

  it('Q7: the newest is the newest stable one', () => {
    expect(newestVersion(['1.2.0', '1.10.0', '2.0.0-rc.1', 'latest'])).toBe('1.10.0')
    expect(newestVersion(['2.0.0-rc.1', '2.0.0-rc.10', '2.0.0-rc.9'])).toBe('2.0.0-rc.10')
    expect(newestVersion(['1.0.0+a', '1.0.0+b', '1.0.0'])).toBe('1.0.0+b')
    expect(newestVersion(['x'])).toBeUndefined()
  })
})
