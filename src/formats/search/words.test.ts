import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordsOf } from './words.ts'

it('Q117: words are letters and digits of all kinds, whatever stands beside them', () => {
  expect(wordsOf('Read_PDF/A-4, größe!')).toEqual(['read', 'pdf', 'a', '4', 'größe'])
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary' })), (text) => {
      // What stands before it makes all of the text one that is not plain, and is no part of a word.
      expect(wordsOf(text)).toEqual(wordsOf(`—${text}`))
    }),
  )
})
