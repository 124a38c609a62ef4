import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addTo, bucketOf, latencyOf, mergeInto, quantile, type Sketch } from './sketch.ts'

const times = fc.array(fc.double({ min: 0.001, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 })

describe('Q94: a sketch of latencies', () => {
  it('tells every quantile to one part in a hundred', () => {
    fc.assert(
      fc.property(times, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
        const sorted = [...values].sort((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN
        const told = quantile(sketchOf(values), share) ?? Number.NaN
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.010_001)
      }),
    )
  })

  it('is the same whichever way its parts are put together', () => {
    fc.assert(
      fc.property(times, times, times, (a, b, c) => {
        const whole = sorted(sketchOf([...a, ...b, ...c]))
        expect(sorted(merged(merged(sketchOf(a), sketchOf(b)), sketchOf(c)))).toEqual(whole)
        expect(sorted(merged(sketchOf(c), merged(sketchOf(b), sketchOf(a))))).toEqual(whole)
      }),
    )
  })

  it('takes whatever a clock says', () => {
    const odd = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300]
    expect(latencyOf(sketchOf(odd))?.p50Ms).toBeCloseTo(0.001, 4)
    expect(new Set(odd.slice(0, 3).map(bucketOf)).size).toBe(1)
    expect(latencyOf(new Map())).toBeNull()
  })
})

function sketchOf(values: readonly number[]): Sketch {
  const sketch: Sketch = new Map()
  for (const value of values) addTo(sketch, bucketOf(value))
  return sketch
}

function merged(one: Sketch, other: Sketch): Sketch {
  const sum: Sketch = new Map(one)
  mergeInto(sum, other)
  return sum
}

function sorted(sketch: Sketch): [number, number][] {
  return [...sketch].sort(([a], [b]) => a - b)
}
