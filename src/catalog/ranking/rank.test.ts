import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../model/index.ts'
import { type Named, rankAll } from './rank.ts'

const NOW = Date.UTC(2026, 0, 31)
const DAY_MS = 86_400_000

const evidence: fc.Arbitrary<Evidence> = fc
  .record({
    count: fc.integer({ min: 0, max: 100_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    left: fc.double({ min: 0, max: 1, noNaN: true }),
    p50: fc.double({ min: 0.01, max: 100_000, noNaN: true }),
    spread: fc.double({ min: 1, max: 1_000, noNaN: true }),
    failuresInARow: fc.integer({ min: 0, max: 20 }),
    passed: fc.integer({ min: 0, max: 50 }),
    failed: fc.integer({ min: 0, max: 50 }),
    age: fc.integer({ min: 0, max: 400 }),
    isTested: fc.boolean(),
  })
  .map(({ count, share, left, p50, spread, failuresInARow, passed, failed, age, isTested }) => ({
    count,
    recent: { count: count * left, errors: count * left * share },
    latency: count === 0 ? null : { p50Ms: p50, p95Ms: p50 * spread, p99Ms: p50 * spread },
    failuresInARow,
    tests: isTested ? { passed, failed, at: NOW - age * DAY_MS, latency: null } : null,
  }))

const contestant: fc.Arbitrary<Named> = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 4 }),
    fit: fc.double({ min: 0, max: 1, noNaN: true }),
    evidence: fc.option(evidence, { nil: undefined }),
    relevance: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
    capability: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  })
  .map(({ name, fit, evidence, relevance, capability }) => ({
    name,
    fit: { value: fit, words: '' },
    ...(evidence && { evidence }),
    ...(relevance !== undefined && { relevance }),
    ...(capability !== undefined && { capability: { value: capability, words: '' } }),
  }))

const others = fc.uniqueArray(contestant, { minLength: 1, maxLength: 8, selector: ({ name }) => name })

/** Where `it` stands among the others. */
function placeOf(one: Named, all: readonly Named[]): number {
  return rankAll([{ ...one, name: 'it' }, ...all.filter(({ name }) => name !== 'it')], NOW).findIndex(
    ({ name }) => name === 'it',
  )
}

function neverHigher(change: (before: Evidence) => Evidence): void {
  fc.assert(
    fc.property(evidence, others, (before, all) => {
      const it = { name: 'it', fit: { value: 1, words: '' } }
      const after = change(before)
      expect(placeOf({ ...it, evidence: after }, all)).toBeGreaterThanOrEqual(
        placeOf({ ...it, evidence: before }, all),
      )
    }),
  )
}

function calls(count: number, errors: number): Evidence {
  const latency = { p50Ms: 10, p95Ms: 12, p99Ms: 15 }
  return { count, recent: { count, errors }, latency, failuresInARow: 0, tests: null }
}

describe('a score', () => {
  it('Q123: is between 0 and 1, and its parts add up to it', () => {
    fc.assert(
      fc.property(others, (all) => {
        for (const { score, parts } of rankAll(all, NOW)) {
          expect(score).toBeGreaterThanOrEqual(0)
          expect(score).toBeLessThanOrEqual(1)
          expect(parts.reduce((sum, { value, weight }) => sum + value * weight, 0)).toBeCloseTo(score, 12)
          expect(parts.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 12)
          for (const { value } of parts) expect(value >= 0 && value <= 1).toBe(true)
        }
      }),
    )
  })

  it('Q123: more successes never rank lower', () => {
    neverHigher(({ recent, count, ...before }) => {
      // The other way round: a success less, where there is one.
      const isOne = recent.count - recent.errors >= 1
      return isOne
        ? { ...before, count: count - 1, recent: { count: recent.count - 1, errors: recent.errors } }
        : { ...before, recent, count }
    })
  })

  it('Q123: more failures never rank higher', () => {
    neverHigher(({ recent, failuresInARow, count, ...before }) => ({
      ...before,
      count: count + 1,
      recent: { count: recent.count + 1, errors: recent.errors + 1 },
      failuresInARow: failuresInARow + 1,
    }))
    neverHigher(({ tests, ...before }) => ({
      ...before,
      tests: tests && { ...tests, passed: Math.max(0, tests.passed - 1), failed: tests.failed + 1 },
    }))
  })

  it('Q123: slower never ranks higher', () => {
    for (const factor of [1.01, 2, 1_000]) {
      neverHigher(({ latency, ...before }) => ({
        ...before,
        latency: latency && {
          p50Ms: latency.p50Ms * factor,
          p95Ms: latency.p95Ms * factor,
          p99Ms: latency.p99Ms * factor,
        },
      }))
    }
  })

  it('Q123: less steady never ranks higher', () => {
    neverHigher(({ latency, ...before }) => ({
      ...before,
      latency: latency && { ...latency, p99Ms: latency.p99Ms * 2 },
    }))
  })

  it('Q123, Q125: one lucky call does not beat a thousand of which 99% succeeded', () => {
    const fit = { value: 1, words: '' }
    const [first] = rankAll(
      [
        { name: 'lucky', fit, evidence: calls(1, 0) },
        { name: 'proven', fit, evidence: calls(1_000, 10) },
      ],
      NOW,
    )
    expect(first?.name).toBe('proven')
  })

  it('Q123: the order they come in does not matter, and equal ones stand by name', () => {
    const shuffled = others.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, again]) => {
        expect(rankAll(again, NOW).map(({ name }) => name)).toEqual(rankAll(all, NOW).map(({ name }) => name))
      }),
    )
    const fit = { value: 1, words: '' }
    expect(
      rankAll(
        [
          { name: 'b', fit },
          { name: 'a', fit },
        ],
        NOW,
      ).map(({ name }) => name),
    ).toEqual(['a', 'b'])
  })

  it('Q123: the best few are the first of all, with the same words', () => {
    const many = fc.array(contestant, { maxLength: 40, size: 'max' })
    fc.assert(
      fc.property(many, fc.integer({ min: 1, max: 45 }), (all, limit) => {
        // Many of them score the same.
        const twice = [...all, ...all.map((one) => ({ ...one, name: `${one.name}2` }))]
        expect(rankAll(twice, NOW, limit)).toEqual(rankAll(twice, NOW).slice(0, limit))
      }),
    )
  })

  it('Q125: what was long ago fades', () => {
    const fit = { value: 1, words: '' }
    const tests = { passed: 0, failed: 10, latency: null }
    const at = (days: number) => {
      const known = { ...calls(0, 0), latency: null, tests: { ...tests, at: NOW - days * DAY_MS } }
      return rankAll([{ name: 'it', fit, evidence: known }], NOW)[0]?.score ?? 0
    }
    expect(at(0)).toBeLessThan(at(30))
    expect(at(30)).toBeLessThan(at(365))
  })
})
