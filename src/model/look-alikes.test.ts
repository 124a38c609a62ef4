import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lookNumber, looksOf } from './look-alikes.ts'

const looksLike = (one: string, other: string) => looksOf(one).some((look) => looksOf(other).includes(look))

describe('names that are taken for each other', () => {
  it.each([
    ['read_file', 'read-file'],
    ['fs.read', 'fs_read'],
    ['Deploy', 'deploy'],
    ['paypal', 'paypaI'],
    ['fill', 'fi1l'],
    ['login', 'l0gin'],
    ['modern', 'modem'],
    ['view', 'vievv'],
    ['List', 'list'],
    ['INFO', 'info'],
  ])('%s and %s', (one, other) => expect(looksLike(one, other)).toBe(true))

  it.each([
    ['mail', 'mall'],
    ['clock', 'dock'],
    ['step5', 'steps'],
    ['fsread', 'fs.read'],
    ['get', 'set'],
    ['v1', 'v2'],
  ])('not %s and %s', (one, other) => expect(looksLike(one, other)).toBe(false))

  it('always have the same number, and other names nearly never', () => {
    const name = fc.string({ unit: fc.constantFrom(...'aiIlL1oO0rnmvwRNVW._-'.split('')), maxLength: 6 })
    let shared = 0
    fc.assert(
      fc.property(name, name, (one, other) => {
        if (looksLike(one, other)) expect(lookNumber(one)).toBe(lookNumber(other))
        else if (lookNumber(one) === lookNumber(other)) shared++
        for (const drawn of looksOf(one)) expect(lookNumber(drawn)).toBe(lookNumber(one))
      }),
      { numRuns: 5_000 },
    )
    expect(shared).toBeLessThan(500)
  })
})
