import type { Row } from './book.ts'
import { mergeInto, middleOf, type Sketch } from './sketch.ts'

/** So many calls took less than that, and not less than the bar before. */
export interface HistogramBar {
  readonly belowMs: number
  readonly count: number
}

/** 1, 2, 5, 10, 20, 50 … as far as there is something, with the empty ones between. */
export function barsOf(rows: readonly Row[]): HistogramBar[] {
  const sketch: Sketch = new Map()
  for (const { slots } of rows) for (const { latency } of slots.values()) mergeInto(sketch, latency)
  const counts = new Map<number, number>()
  for (const [bucket, count] of sketch) {
    const step = stepOf(middleOf(bucket))
    counts.set(step, (counts.get(step) ?? 0) + count)
  }
  const steps = [...counts.keys()]
  if (steps.length === 0) return []
  const first = Math.min(...steps)
  return Array.from({ length: Math.max(...steps) - first + 1 }, (_, index) => ({
    belowMs: boundOf(first + index),
    count: counts.get(first + index) ?? 0,
  }))
}

const STEPS = [1, 2, 5]

/** The number of the first bound that is greater. */
function stepOf(ms: number): number {
  let step = 3 * Math.floor(Math.log10(ms))
  while (boundOf(step) <= ms) step++
  return step
}

function boundOf(step: number): number {
  const decade = Math.floor(step / STEPS.length)
  // By way of text: 10 to the power of -3 times 5 is not quite 0.005 otherwise.
  return Number(`${STEPS[step - STEPS.length * decade] ?? 1}e${decade}`)
}
