import { expect, it } from 'vitest'
import { createOrderedLookup } from './ordered-lookup.ts'

it('finds keys in any order, and builds an index only when one is out of order', () => {
  const keys = ['a', 'b', 'c', 'd', 'e']
  let looks = 0
  const indexOf = createOrderedLookup(keys.length, (index) => {
    looks++
    return keys[index]
  })
  expect(['a', 'b'].map(indexOf)).toEqual([0, 1])
  expect(looks).toBe(2)
  expect(['d', 'e', 'none', 'a', 'b', 'a', 'a'].map(indexOf)).toEqual([3, 4, -1, 0, 1, 0, 0])
  expect(createOrderedLookup(0, () => undefined)('a')).toBe(-1)
})
