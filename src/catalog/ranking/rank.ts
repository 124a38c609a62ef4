import type { Score } from '../../model/index.ts'
import { type Contestant, explainScore, scoreOf, usualMsOf } from './score.ts'

/** Something with a name that can be scored. */
export interface Named extends Contestant {
  readonly name: string
  /** Tells those of one name apart. */
  readonly version?: string
}

export type Ranked<T> = T & Score

/** The best first, at most so many; equal ones by name, then by version. The order they come in does not matter. */
export function rankAll<T extends Named>(
  all: readonly T[],
  now: number,
  limit = Number.POSITIVE_INFINITY,
): Ranked<T>[] {
  const usualMs = usualMsOf(all.map(({ evidence }) => evidence))
  const yardstick = { now, ...(usualMs === undefined ? {} : { usualMs }) }
  const scores = Float64Array.from(all, (one) => scoreOf(one, yardstick))
  const least = limit < all.length ? (scores.slice().sort()[all.length - limit] ?? 0) : 0
  const scored = all.flatMap((one, at) => {
    const score = scores[at] ?? 0
    return score < least ? [] : [{ one, score }]
  })
  return scored
    .sort(
      (a, b) =>
        b.score - a.score ||
        compare(a.one.name, b.one.name) ||
        compare(a.one.version ?? '', b.one.version ?? ''),
    )
    .slice(0, limit)
    .map(({ one, score }) => ({ ...one, score, parts: explainScore(one, yardstick) }))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
