import { setMaxListeners } from 'node:events'
import { createFairTimer } from './capsule/fair-timer.ts'
import type { Outcome } from './executor.ts'
import { durationWords } from './measure-words.ts'

/**
 * Lets work that heeds a signal go on until its time is over. What was then cancelled was too slow; what was
 * done in the meantime stays done. `0` and `Infinity` mean no limit.
 */
export async function withDeadline(
  {
    name,
    timeoutMs,
    signal,
  }: { readonly name: string; readonly timeoutMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  if (timeoutMs === 0 || signal.aborted) return work(signal)
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  let isLate = false
  const giveUp = () => stop.abort()
  const timer = createFairTimer()
  timer.set(timeoutMs, () => {
    isLate = true
    stop.abort()
  })
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const outcome = await work(stop.signal)
    const { result } = outcome
    if (!isLate || result.ok || result.reason !== 'cancelled') return outcome
    const message = `\`${name}\` did not finish within ${durationWords(timeoutMs)}`
    return { ...outcome, result: { ...result, reason: 'timeout', message } }
  } finally {
    timer.clear()
    signal.removeEventListener('abort', giveUp)
  }
}
