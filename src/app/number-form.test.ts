import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createNumberForm } from './number-form.ts'

const number = fc.oneof(
  fc.nat(1_000),
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -0, 9, 10, 99, 100, 999_999_999, 1e9, 2 ** 31, 2 ** 32 + 5, 1e21, Number.NaN),
)
const row = fc.tuple(number, number, number)

it('whatever was written before, it is the text with these numbers', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
      const form = createNumberForm(
        [
          { before: '{"a":', column: 2 },
          { before: ',"é":', column: 0, isRounded: true },
          { before: ',"c":', column: 1 },
        ],
        '}',
      )
      const all = Float64Array.from(rows.flat())
      const room = Buffer.alloc(3 + form.most)
      const texts = rows.map((_, index) => {
        const end = form.put(room, 3, all, 3 * index)
        return room.toString('utf8', 3, end)
      })
      const expected = rows.map(([first, second, third]) =>
        JSON.stringify({ a: third, é: Math.round(first * 100) / 100, c: second }),
      )
      expect(texts).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})
