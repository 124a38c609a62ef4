import { expect, it } from 'vitest'
import { createPatience } from './patience.ts'

it('a storm is followed ever more slowly, and a calm forgets it', () => {
  const patience = createPatience(100, 1_000)
  let now = 0
  const pauses = Array.from({ length: 6 }, () => {
    const pause = patience.next(now)
    now += pause + 50
    return pause
  })
  expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000])
  expect(patience.next(now + 5_000)).toBe(100)
  expect(patience.next(now + 6_000)).toBe(100)
})
