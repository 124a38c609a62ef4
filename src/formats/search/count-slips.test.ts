import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance } from '../../model/index.ts'
import { countSlips } from './count-slips.ts'

/** As they stand in an index. */
function codesOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

it('Q117: counts slips as the distance of two words does, wherever the word stands', () => {
  const word = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'z', 'ß', '翻', '𝒳'), maxLength })
  const term = fc.oneof(word(8), word(31), word(40), fc.string({ unit: 'binary', maxLength: 32 }))
  const near = fc.tuple(term, word(2), fc.nat(40), fc.nat(3)).map(([one, put, at, off]) => ({
    one,
    other: `${one.slice(0, at)}${put}${one.slice(at + off)}`,
  }))
  const pair = fc.oneof(
    near,
    fc.tuple(term, term).map(([one, other]) => ({ one, other })),
  )
  fc.assert(
    fc.property(pair, fc.integer({ min: 1, max: 3 }), ({ one, other }, most) => {
      fc.pre(one.length > 0)
      const slips = countSlips(one, most)(codesOf(`\n${other}\n`), 1, 1 + other.length)
      expect(Math.min(most + 1, slips)).toBe(editDistance(one, other, most + 1))
    }),
    { numRuns: 5_000 },
  )
})
