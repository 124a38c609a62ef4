import type { ChainStep } from '../../model/index.ts'
import { placesOf } from '../../runtime/index.ts'

/** What would make a chain faster. */
export interface ChainAdvice {
  /** Steps that use nothing of those they wait for now: with `parallel: true` they need not. */
  readonly parallel: readonly string[]
  /** By what the tools took here so far; null while that is not known of all. */
  readonly now_ms: number | null
  readonly then_ms: number | null
}

/** `usualMs`: how long a tool takes, as far as it is known. Undefined when nothing is to be gained. */
export function adviseOn(
  steps: readonly ChainStep[],
  usualMs: (tool: string) => number | undefined,
): ChainAdvice | undefined {
  const times = steps.map(({ tool }) => usualMs(tool))
  const isKnown = times.every((ms) => ms !== undefined)
  const weights = times.map((ms) => ms ?? 1)
  const now = lengthOf(steps, weights)
  const found = steps.reduce(
    (best, step, index) => {
      if (step.parallel) return best
      const marked = best.steps.with(index, { ...step, parallel: true })
      const length = lengthOf(marked, weights)
      return length < best.length ? { steps: marked, length, names: [...best.names, step.step] } : best
    },
    { steps, length: now, names: [] as readonly string[] },
  )
  if (found.names.length === 0) return undefined
  return {
    parallel: found.names,
    now_ms: isKnown ? Math.round(now) : null,
    then_ms: isKnown ? Math.round(found.length) : null,
  }
}

/** From the start of the first step to the end of the last. */
function lengthOf(steps: readonly ChainStep[], weights: readonly number[]): number {
  const ends: number[] = []
  for (const [index, { waitsFor }] of placesOf(steps).entries()) {
    const begin = Math.max(0, ...waitsFor.map((other) => ends[other] ?? 0))
    ends.push(begin + (weights[index] ?? 0))
  }
  return Math.max(0, ...ends)
}
