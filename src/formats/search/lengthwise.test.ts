import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lettersOf } from './lengthwise.ts'

const LETTERS = fc.constantFrom(...'abeinrst019äß翻'.split(''), '\ud835', '\udcb3')
const WORD = fc.array(LETTERS, { maxLength: 12 })

function count(bits: number): number {
  return bits === 0 ? 0 : 1 + count(bits & (bits - 1))
}

/** How many bits come to a word, and how many go. */
function change(before: readonly string[], after: readonly string[]): [number, number] {
  const [one, other] = [before, after].map((word) => lettersOf(word.join('')))
  return [count((other ?? 0) & ~(one ?? 0)), count((one ?? 0) & ~(other ?? 0))]
}

it('Q117: a slip in a word changes what is told of its letters by one at most, either way', () => {
  fc.assert(
    fc.property(WORD, LETTERS, fc.nat(11), (word, letter, place) => {
      const longer = word.toSpliced(place, 0, letter)
      const [come, gone] = change(word, longer)
      expect(come).toBeLessThanOrEqual(1)
      expect(gone).toBe(0)
      const [others, missing] = change(word, word.toSpliced(place, 1, letter))
      expect(Math.max(others, missing)).toBeLessThanOrEqual(1)
      expect(change(word, word.toReversed())).toEqual([0, 0])
    }),
  )
})
