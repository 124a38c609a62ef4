import { describe, expect, it } from 'vitest'
import { shortest, timeLimit } from './time-limit.ts'

describe('how long something may take', () => {
  it('Q88: is what it says itself, else what is usual', () => {
    expect(timeLimit({ timeoutMs: 50 }, { timeoutMs: 30, mostMs: 0 })).toBe(50)
    expect(timeLimit({}, { timeoutMs: 30, mostMs: 0 })).toBe(30)
  })

  it('Q88: is never more than anyone may take, also of what has no limit', () => {
    expect(timeLimit({ timeoutMs: 50 }, { timeoutMs: 30, mostMs: 40 })).toBe(40)
    expect(timeLimit({ timeoutMs: 0 }, { timeoutMs: 30, mostMs: 40 })).toBe(40)
  })

  it('is none when nobody sets one', () => {
    expect(shortest(0, null, undefined, Number.POSITIVE_INFINITY)).toBe(0)
  })
})
