import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { latencyShift, median } from './latency-shift.ts'
import { leastChance, rankTest } from './rank-test.ts'

const samples = (most = 12) => fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: most })

describe('rankTest', () => {
  it('Q127: knows the published values', () => {
    // Complete separation of five and five: 2 of 252 ways.
    expect(rankTest([1, 2, 3, 4, 5], [6, 7, 8, 9, 10])).toBeCloseTo(2 / 252, 12)
    expect(leastChance(5, 5)).toBeCloseTo(2 / 252, 12)
    // Three and four, U = 2: the cumulative counts 1, 2, 4 of 35, on both sides.
    expect(rankTest([1, 3, 4], [2, 5, 6, 7])).toBeCloseTo(8 / 35, 12)
    expect(rankTest([4, 4, 4], [4, 4])).toBe(1)
    expect([rankTest([], [1]), leastChance(0, 9)]).toEqual([1, 1])
  })

  it('is the same from either side, and a chance', () => {
    fc.assert(
      fc.property(samples(60), samples(60), (a, b) => {
        const chance = rankTest(a, b)
        expect(chance).toBeGreaterThanOrEqual(0)
        expect(chance).toBeLessThanOrEqual(1)
        expect(rankTest(b, a)).toBeCloseTo(chance, 9)
      }),
      { numRuns: 60 },
    )
  })

  it('knows only order: stretching the time changes nothing', () => {
    fc.assert(
      fc.property(samples(), samples(), (a, b) => {
        const stretched = (all: number[]) => all.map((value) => value ** 3 + 7)
        expect(rankTest(stretched(a), stretched(b))).toBeCloseTo(rankTest(a, b), 9)
      }),
    )
  })

  it('agrees with counting every way to deal the samples', () => {
    fc.assert(
      fc.property(samples(5), samples(5), (a, b) => {
        expect(rankTest(a, b)).toBeCloseTo(byDealing(a, b), 9)
      }),
    )
  })

  it('goes over to the approximation without a jump', () => {
    const apart = (n: number) => Array.from({ length: n }, (_, i) => i * 3)
    const shifted = (n: number) => Array.from({ length: n }, (_, i) => i * 3 + 14.5)
    const [exact, near] = [rankTest(apart(20), shifted(20)), rankTest(apart(21), shifted(21))]
    expect(Math.abs(exact - near)).toBeLessThan(0.05)
  })
})

describe('latencyShift', () => {
  it('Q127: one slow run among many is no shift, a slow half is none either', () => {
    const steady = [10, 11, 10, 12, 11, 10, 11, 10]
    expect(latencyShift(steady, [...steady.slice(1), 500]).kind).toBe('same')
    expect(latencyShift(steady, [10, 11, 10, 11, 40, 41, 40, 42]).kind).toBe('same')
  })

  it('Q127: tells slower from faster, by all samples', () => {
    const before = [10, 11, 10.5, 12, 11.5]
    const now = [30, 31, 29, 33, 30.5]
    expect(latencyShift(before, now)).toMatchObject({
      kind: 'slower',
      numbers: { beforeMs: 11, nowMs: 30.5 },
    })
    expect(latencyShift(now, before).kind).toBe('faster')
  })

  it('says so when there are not enough runs, and leaves small shifts alone', () => {
    expect(latencyShift([1, 2, 3, 4], [90, 91, 92, 93]).kind).toBe('unknown')
    expect(latencyShift([], [1]).kind).toBe('unknown')
    const fast = [0.1, 0.11, 0.12, 0.13, 0.14, 0.15]
    expect(
      latencyShift(
        fast,
        fast.map((ms) => ms * 5),
      ).kind,
    ).toBe('same')
    const slow = [100, 101, 102, 103, 104, 105]
    expect(
      latencyShift(
        slow,
        slow.map((ms) => ms * 1.2),
      ).kind,
    ).toBe('same')
  })

  it('the same samples are never a shift, and both directions mirror each other', () => {
    const times = fc.array(fc.double({ min: 0, max: 1e4, noNaN: true }), { maxLength: 30 })
    fc.assert(fc.property(times, (all) => ['same', 'unknown'].includes(latencyShift(all, all).kind)))
    const mirrored = { slower: 'faster', faster: 'slower', same: 'same', unknown: 'unknown' } as const
    fc.assert(
      fc.property(times, times, (a, b) => latencyShift(b, a).kind === mirrored[latencyShift(a, b).kind]),
    )
  })

  it('has a median', () => {
    expect([median([]), median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([0, 2, 2.5])
  })
})

/** The share of all ways to deal the samples in which the rank sum is at least as far from its mean. */
function byDealing(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b]
  const rank = (value: number) =>
    all.filter((one) => one < value).length + (all.filter((one) => one === value).length + 1) / 2
  const ranks = all.map(rank)
  const mean = (ranks.reduce((x, y) => x + y, 0) * a.length) / all.length
  const found = Math.abs(ranks.slice(0, a.length).reduce((x, y) => x + y, 0) - mean)
  let ways = 0
  let far = 0
  for (let set = 0; set < 1 << all.length; set++) {
    const picked = ranks.filter((_, index) => set & (1 << index))
    if (picked.length !== a.length) continue
    ways++
    if (Math.abs(picked.reduce((x, y) => x + y, 0) - mean) >= found - 1e-9) far++
  }
  return far / ways
}
