import fc from 'fast-check'
import semver from 'semver'
import { describe, expect, it } from 'vitest'
import { isInRange, parseRange } from './range.ts'
import { parseRequirement, satisfies } from './requirement.ts'
import { parseVersion } from './version.ts'

describe('dependencies', () => {
  it.each([
    ['jq', 'program', 'jq', false],
    ['python>=3.8', 'program', 'python', true],
    ['node >= 18, < 23', 'program', 'node', true],
    ['python3.11', 'program', 'python3.11', false],
    ['g++>=12', 'program', 'g++', true],
    ['tool:fs', 'tool', 'fs', false],
    ['tool:fs>=0.2.0', 'tool', 'fs', true],
    ['tool:fs ^1', 'tool', 'fs', true],
  ])('Q41: %s is read', (word, kind, name, hasRange) => {
    const parsed = parseRequirement(word)
    expect(parsed).toMatchObject({ kind, name, written: word })
    expect('range' in parsed).toBe(hasRange)
  })

  it.each([
    '',
    '>=3.8',
    '-rf',
    '/usr/bin/python',
    '../python',
    'tool:',
    'tool:Fs',
    'tool:../x',
    'python>=',
    'python>=x',
    'python!=3.8',
    'python 3.8',
    'python>=3.8 or so',
    'python>=3.8,,<4',
    'python\u0000',
  ])('Q41: %j is refused with a way out', (word) => {
    expect(parseRequirement(word)).toMatchObject({ problem: { hint: expect.any(String) } })
  })

  it.each([
    ['python>=3.8', 'Python 3.11.7', true],
    ['python>=3.8', 'Python 3.7.17', false],
    ['python>=3.8', 'Python 2.7.18', false],
    ['python>=3.12', 'Python 3.13.0rc2', true],
    ['node>=18', 'v20.1.0', true],
    ['node>=18', 'v16.20.2', false],
    ['jq>=1.6', 'jq-1.6', true],
    ['jq>=1.7', 'jq-1.6', false],
    ['go>=1.21', 'go version go1.21.5 linux/amd64', true],
    ['bzip2>=1.0.8', 'bzip2, a block-sorting file compressor.  Version 1.0.8, 13-Jul-2019.', true],
    ['less>=500', 'less 590 (GNU regular expressions)', true],
    ['git>2.39', 'git version 2.39.5', false],
    ['git<=2.39', 'git version 2.39.5', true],
    ['python==3.11', 'Python 3.11.7', true],
    ['python=3.11', 'Python 3.12.0', false],
    ['jq', 'anything', true],
    ['jq>=1', 'no number here', false],
  ])('Q94: %s against %j is %s', (word, printed, expected) => {
    const requirement = parseRequirement(word)
    if ('problem' in requirement) throw new Error(requirement.problem.message)
    expect(satisfies(requirement, printed)).toBe(expected)
  })

  it('Q94: a package needs a real version, with or without v', () => {
    const requirement = parseRequirement('tool:fs>=0.2.0')
    if ('problem' in requirement) throw new Error(requirement.problem.message)
    expect(satisfies(requirement, '0.2.0')).toBe(true)
    expect(satisfies(requirement, 'v0.3.0')).toBe(true)
    expect(satisfies(requirement, '0.1.9')).toBe(false)
    expect(satisfies(requirement, '0.3.0-rc.1')).toBe(false)
    expect(satisfies(requirement, 'version 0.3.0')).toBe(false)
  })
})

describe('ranges', () => {
  const pre = fc.constantFrom('', '', '-0', '-alpha', '-rc.1', '-rc.2')
  const small = fc.nat({ max: 3 })
  const version = fc.tuple(small, small, small, pre).map(([a, b, c, rest]) => `${a}.${b}.${c}${rest}`)
  const written = fc.oneof(
    version,
    fc.tuple(small, small).map(([a, b]) => `${a}.${b}`),
    small.map(String),
  )
  const operator = fc.constantFrom('>=', '>', '=', '==', '<', '<=', '^', '~')

  it('agree with semver', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(operator, written), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(' ', ',', ', '),
        version,
        (parts, glue, candidate) => {
          const range = parseRange(parts.map(([sign, bound]) => `${sign}${bound}`).join(glue))
          const known = parts.map(([sign, bound]) => `${sign === '==' ? '=' : sign}${bound}`).join(' ')
          const parsed = parseVersion(candidate)
          if ('problem' in range || parsed === null) throw new Error('must be readable')
          expect(isInRange(parsed, range)).toBe(semver.satisfies(candidate, known))
        },
      ),
      { numRuns: 3000 },
    )
  })
})
