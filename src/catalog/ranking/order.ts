import type { Evidence, ScorePart } from '../../model/index.ts'
import { explainScore, scoreOf, usualMsOf } from './score.ts'

/** How implementations are chosen. */
export interface ChoiceSettings {
  readonly choose: 'on' | 'off'
  /** Of a hundred calls, how many may try one of which little is known. */
  readonly explore: number
  /** How long one that fails again and again stands behind the others the first time. */
  readonly coolDownMs: number
}

/** What is known of one implementation. */
export interface Known extends Evidence {
  /** When it failed last, if it failed since its last success. */
  readonly failedAt: number
  /** When it was given a call to see whether it works again; nobody else tries until that is known. */
  readonly retriedAt?: number
}

export interface Ordered<T> {
  readonly one: T
  readonly score: number
  /** What the score is made of. */
  readonly explain: () => ScorePart[]
  /** Until when it stands behind the others; null when it does not. */
  readonly coolingUntil: number | null
  /** It failed again and again, and the next call is to show whether it works by now. */
  readonly isRetry: boolean
}

const FAILURES_TOLERATED = 2
const MOST_COOL_DOWN_MS = 3_600_000
/** Fewer than five calls, which fade a little, say nothing against the order of the package. */
const ENOUGH_CALLS = 4.5
/** A better score by less than this is no reason to change the order. */
const MARGIN = 0.03
const FITS = { value: 1, words: 'runs here' }

/**
 * The package's own order, which stands as long as nothing is known. One moves ahead of another only when that one was
 * called often enough and scores less. One that failed too often in a row goes to the end for a while, longer each
 * time; then one call tries it again, if the package wants it before what is used now.
 */
export function orderImplementations<T>(
  all: readonly T[],
  knownOf: (one: T) => Known | undefined,
  coolDownMs: number,
  now: number,
): Ordered<T>[] {
  const known = all.map(knownOf)
  const usualMs = usualMsOf(known)
  const yardstick = { now, ...(usualMs === undefined ? {} : { usualMs }) }
  const judged = all.map((one, place) => {
    const evidence = known[place]
    const contestant = { fit: FITS, ...(evidence && { evidence }) }
    const score = scoreOf(contestant, yardstick)
    const explain = () => explainScore(contestant, yardstick)
    const until = evidence === undefined ? null : coolingUntil(evidence, coolDownMs, now)
    const isCooling = until !== null && until > now
    const calls = evidence?.recent.count ?? 0
    return {
      one,
      score,
      explain,
      place,
      calls,
      until,
      coolingUntil: isCooling ? until : null,
      isRetry: false,
    }
  })
  const order: typeof judged = []
  for (const next of judged.filter((one) => one.coolingUntil === null)) {
    const at = order.findIndex((other) => isBetter(next, other))
    order.splice(at < 0 ? order.length : at, 0, next)
  }
  const [first] = order
  const retry = order.find((one) => one.until !== null && first !== undefined && one.place <= first.place)
  const cooling = judged
    .filter((one) => one.coolingUntil !== null)
    .sort((a, b) => (a.until ?? 0) - (b.until ?? 0))
  const again =
    retry === undefined ? order : [{ ...retry, isRetry: true }, ...order.filter((one) => one !== retry)]
  return [...again, ...cooling].map(({ one, score, explain, coolingUntil: cools, isRetry }) => ({
    one,
    score,
    explain,
    coolingUntil: cools,
    isRetry,
  }))
}

function isBetter(
  one: { readonly score: number },
  other: { readonly score: number; readonly calls: number },
): boolean {
  return other.calls >= ENOUGH_CALLS && one.score > other.score + MARGIN
}

/** Until when the failures count; null when there were not too many. */
function coolingUntil(
  { failuresInARow, failedAt, retriedAt = 0 }: Known,
  coolDownMs: number,
  now: number,
): number | null {
  const over = failuresInARow - FAILURES_TOLERATED
  if (over <= 0) return null
  const restMs = Math.min(MOST_COOL_DOWN_MS, coolDownMs * 2 ** Math.min(over - 1, 30))
  // Where the clock was set back since, nobody waits until it is that late again.
  const after = (at: number, ms: number) => (at > now ? now : at + ms)
  return Math.max(after(failedAt, restMs), retriedAt === 0 ? 0 : after(retriedAt, coolDownMs))
}
