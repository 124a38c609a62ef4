import { describe, expect, it } from 'vitest'
import type { Waiter } from './channel.ts'
import { createWaiters } from './waiters.ts'

describe('who waits for an answer', () => {
  it('gets the one with its number, once', () => {
    const waiters = createWaiters()
    const [first, second] = [waiter(), waiter()]
    const ids = [waiters.add(first), waiters.add(second)]
    expect(ids).toEqual([1, 2])
    expect(waiters.get(2)).toBe(second)
    expect(waiters.take(2)).toBe(second)
    expect(waiters.take(2)).toBeUndefined()
    expect(waiters.take(1)).toBe(first)
  })

  it('gets no answer with a number that was never given', () => {
    const waiters = createWaiters()
    waiters.add(waiter())
    for (const id of [0, -1, 2, 17, 1.5, 2 ** 32 + 1, '1', null, true, [1], { id: 1 }]) {
      expect(waiters.get(id)).toBeUndefined()
      expect(waiters.take(id)).toBeUndefined()
    }
  })

  it('keeps its number however many others come and go, and none has it too', () => {
    const waiters = createWaiters()
    const patient = waiter()
    const id = waiters.add(patient)
    const given = new Set([id])
    for (let round = 0; round < 1_000; round++) {
      const others = Array.from({ length: round % 50 }, () => waiters.add(waiter()))
      for (const other of others) {
        expect(given.has(other)).toBe(false)
        given.add(other)
      }
      for (const other of others.reverse()) expect(waiters.take(other)).toBeDefined()
    }
    expect(waiters.take(id)).toBe(patient)
  })

  it('hears of the end in the order in which it asked', () => {
    const waiters = createWaiters()
    const all = Array.from({ length: 1_000 }, waiter)
    for (const one of all) waiters.add(one)
    expect(waiters.takeAll()).toEqual(all)
    expect(waiters.takeAll()).toEqual([])
    expect(waiters.add(waiter())).toBeGreaterThan(1_000)
  })
})

function waiter(): Waiter {
  return { onAnswer() {} }
}
