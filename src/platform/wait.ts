import { setTimeout as delay } from 'node:timers/promises'

/** Asks until there is an answer or the time is over. */
export async function waitUntil<T>(ask: () => T | undefined, timeoutMs: number): Promise<T | undefined> {
  const end = performance.now() + timeoutMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const answer = ask()
    if (answer !== undefined || performance.now() > end) return answer
    await delay(pauseMs)
  }
}
