import { describe, expect, it } from 'vitest'
import { clientOf, createClientLimits } from './client-limits.ts'

describe('limits of a client', () => {
  it('lets a client be ten seconds ahead of its rate, and no more', () => {
    let now = 0
    const limits = createClientLimits({ rate: 2, concurrency: null }, () => now)
    for (let i = 0; i < 20; i++) expect(limits.take('a')).toBeUndefined()
    expect(limits.take('a')).toBe(1)
    now += 500
    expect(limits.take('a')).toBeUndefined()
    expect(limits.take('a')).toBe(1)
    now += 3_600_000
    for (let i = 0; i < 20; i++) expect(limits.take('a')).toBeUndefined()
    expect(limits.take('a')).toBe(1)
  })

  it('a clock that stands still, and refusals, cost nobody anything', () => {
    let now = 0
    const limits = createClientLimits({ rate: 1, concurrency: null }, () => now)
    for (let i = 0; i < 10; i++) limits.take('a')
    for (let i = 0; i < 1_000; i++) expect(limits.take('a')).toBe(1)
    now += 1_000
    expect(limits.take('a')).toBeUndefined()
  })

  it('a million clients are not remembered, and who is busy is forgotten last', () => {
    const limits = createClientLimits({ rate: 1, concurrency: null }, () => 0)
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 10; i++) limits.take('busy')
    for (let i = 0; i < 1_000_000; i++) {
      limits.take(`client-${i}`)
      if (i % 5_000 === 0) expect(limits.take('busy')).toBe(1)
    }
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1_048_576)
    expect(limits.take('busy')).toBe(1)
  })

  it('counts calls until they end, each once', () => {
    const limits = createClientLimits({ rate: null, concurrency: 2 }, () => 0)
    const first = limits.begin('a')
    limits.begin('a')
    expect([limits.isFull('a'), limits.begin('a'), limits.isFull('b')]).toEqual([true, undefined, false])
    first?.()
    expect(limits.isFull('a')).toBe(false)
    expect(limits.begin('a')).toBeDefined()
    expect(limits.take('a')).toBeUndefined()
  })
})

describe('who counts as one client', () => {
  it.each([
    [{ principal: 'token:a', remote: '::1' }, 'principal token:a'],
    [{ remote: '10.0.0.1' }, 'address 10.0.0.1'],
    [{ remote: '::ffff:10.0.0.1' }, 'address 10.0.0.1'],
    [{ remote: '2001:db8:1:2:3:4:5:6' }, 'address 2001:db8:1:2'],
    [{ remote: '2001:db8:1:2::9' }, 'address 2001:db8:1:2'],
    [{ remote: '2001:db8::9' }, 'address 2001:db8:0:0'],
    [{ remote: '::1' }, 'address 0:0:0:0'],
    [{ remote: 'fe80::1%eth0' }, 'address fe80:0:0:0'],
    [{}, 'address '],
  ])('%j is %s', (who, client) => expect(clientOf(who)).toBe(client))

  it('a principal cannot be called like an address', () => {
    expect(clientOf({ principal: '10.0.0.1' })).not.toBe(clientOf({ remote: '10.0.0.1' }))
  })
})
