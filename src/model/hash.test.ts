import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha1, sha256 } from './hash.ts'
import { smallSha1, smallSha256 } from './small-hash.ts'

const expected = (kind: string, bytes: Uint8Array) => createHash(kind).update(bytes).digest('hex')

describe('our own hashes', () => {
  it('are those of node:crypto', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        expect(smallSha1(bytes)).toBe(expected('sha1', bytes))
        expect(smallSha256(bytes)).toBe(expected('sha256', bytes))
      }),
    )
  })

  it('are those of node:crypto at every length around the ends of blocks', () => {
    for (let length = 0; length <= 260; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => at * 7 + length)
      expect(smallSha1(bytes)).toBe(expected('sha1', bytes))
      expect(smallSha256(bytes)).toBe(expected('sha256', bytes))
    }
  })

  it('do not depend on where in a buffer the bytes lie', () => {
    const whole = Buffer.from('0123456789'.repeat(40))
    const part = whole.subarray(13, 200)
    expect(smallSha1(part)).toBe(expected('sha1', part))
    expect(smallSha256(part)).toBe(expected('sha256', part))
  })
})

describe('a hash', () => {
  it('is the same in parts, whoever makes it', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array({ maxLength: 3_000 }))
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (parts) => {
        const whole = Buffer.concat(parts.map((part) => Buffer.from(part)))
        expect(sha256(...parts)).toBe(expected('sha256', whole))
        expect(sha1(...parts)).toBe(expected('sha1', whole))
      }),
    )
    const long = Buffer.alloc(100_000, 'x')
    expect(sha256(long)).toBe(expected('sha256', long))
    expect(sha1('x', long)).toBe(expected('sha1', Buffer.concat([Buffer.from('x'), long])))
  })
})
