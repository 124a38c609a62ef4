import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '../../test/any-text.ts'
import { type Lock, type LockEntry, OrlaError } from '../model/index.ts'
import { formatLock, parseLock } from './lock-file.ts'

const HEX = 'a'.repeat(64)
const ENTRY: LockEntry = {
  name: 'fs',
  version: '0.2.0',
  pin: {
    kind: 'git',
    url: 'https://git.example.com/fs',
    tag: 'v0.2.0',
    commit: 'b'.repeat(40),
    registry: 'https://r',
  },
  digest: HEX,
  permissions: ['filesystem:read'],
  definition: HEX,
}
const LOCK: Lock = {
  v: 1,
  packages: [
    ENTRY,
    { ...ENTRY, version: '0.10.0' },
    { ...ENTRY, name: 'a', pin: { kind: 'directory', path: '/srv/a' } },
    { ...ENTRY, name: 'z', pin: { kind: 'archive', from: './z.tgz', sha256: HEX } },
  ],
}

describe('orla.lock', () => {
  it('is the same text for the same lock, sorted, with a last newline', () => {
    const text = formatLock(LOCK)
    expect(formatLock({ v: 1, packages: LOCK.packages.toReversed() })).toBe(text)
    expect(text.endsWith('}\n')).toBe(true)
    const read = parseLock(text, 'orla.lock')
    expect(read.packages.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'a 0.2.0',
      'fs 0.2.0',
      'fs 0.10.0',
      'z 0.2.0',
    ])
    expect(formatLock(read)).toBe(text)
    expect(text.indexOf('"name"')).toBeLessThan(text.indexOf('"version"'))
  })

  it('keeps keys in order whatever order they came in', () => {
    const shuffled = Object.fromEntries(Object.entries(ENTRY).reverse()) as unknown as LockEntry // same keys
    expect(formatLock({ v: 1, packages: [shuffled] })).toBe(formatLock({ v: 1, packages: [ENTRY] }))
  })

  it.each([
    ['cut off', formatLock(LOCK).slice(0, 200), /^orla\.lock:\d+:\d+: ends too early/],
    ['empty', '', /^orla\.lock:1:1: is empty/],
    ['a merge conflict', `{\n<<<<<<< ours\n`, /^orla\.lock:2:1: is not JSON from here/],
    ['a hostile name', formatLock({ v: 1, packages: [{ ...ENTRY, name: '../x' }] }), /^orla\.lock:5:15: /],
    [
      'a hostile version',
      formatLock({ v: 1, packages: [{ ...ENTRY, version: '../x' }] }),
      /^orla\.lock:6:18: /,
    ],
    ['no pin', JSON.stringify({ v: 1, packages: [{ ...ENTRY, pin: undefined }] }), /`pin` is missing/],
    [
      'an odd pin',
      JSON.stringify({ v: 1, packages: [{ ...ENTRY, pin: { kind: 'ftp' } }] }),
      /kind git, directory/,
    ],
    [
      'an option as URL',
      JSON.stringify({ v: 1, packages: [{ ...ENTRY, pin: { ...ENTRY.pin, url: '-x' } }] }),
      /pin\.url/,
    ],
    ['a newer format', '{"v": 2, "packages": []}', /written by a newer Orla/],
    ['a list', '[]', /must be a map/],
  ])('E_LOCK names the line: %s', (_what, text, message) => {
    expect(() => parseLock(text, 'orla.lock')).toThrow(
      expect.objectContaining({
        code: 'E_LOCK',
        message: expect.stringMatching(message),
        hint: expect.any(String),
      }),
    )
  })

  it('throws nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.json()), (text) => {
        try {
          expect(parseLock(text, 'f').v).toBe(1)
        } catch (error) {
          expect(error).toBeInstanceOf(OrlaError)
        }
      }),
    )
  })
})
