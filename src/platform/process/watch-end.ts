import type { Race } from './race.ts'
import type { ProcessRequest } from './starter.ts'

export type Cause = 'exit' | 'timeout' | 'abort' | 'limit'

/** Lets the timeout and the two signals take part in the race. Returns a function that stops watching. */
export function watchForEnd(
  race: Race<Cause>,
  { signal, timeoutMs }: ProcessRequest,
  closing: AbortSignal,
): () => void {
  const abort = () => race.win('abort')
  signal.addEventListener('abort', abort)
  closing.addEventListener('abort', abort)
  // A blocked event loop sees the timer before an exit that came earlier: that one gets a turn to be heard.
  const late = () => setImmediate(() => race.win('timeout'))
  const timer = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS ? setTimeout(late, timeoutMs) : undefined
  return () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    closing.removeEventListener('abort', abort)
  }
}

/** A starter that closes may leave less time than the request would. */
export function graceOf(graceMs: number, closing: AbortSignal): number {
  return typeof closing.reason === 'number' ? Math.min(graceMs, closing.reason) : graceMs
}

/** Beyond this (24 days) a Node timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
