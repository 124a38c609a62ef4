import type { ScorePart } from '../model/index.ts'

/** Nearer to the middle a part tells nothing. */
const TELLING = 0.05

/** What made a score what it is, the weightiest first. */
export function mainReasons(parts: readonly ScorePart[], most = 3): string {
  const telling = parts
    // That it runs here is what everyone expects.
    .filter(({ part, value }) => Math.abs(value - 0.5) > TELLING && !(part === 'fit' && value > 0.5))
    .sort((a, b) => b.weight * Math.abs(b.value - 0.5) - a.weight * Math.abs(a.value - 0.5))
    .slice(0, most)
  const fallback = parts.filter(({ part }) => part === 'success')
  return (telling.length > 0 ? telling : fallback).map(({ words }) => words).join(', ')
}

/** A score as people read it. */
export function shortScore(score: number): string {
  return score.toFixed(2)
}
