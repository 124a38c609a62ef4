/** How long to wait before something is asked again: longer each time it comes at once, up to a bound. */
export interface Patience {
  /** Of the next question, in milliseconds. */
  next(nowMs: number): number
}

export function createPatience(baseMs: number, capMs: number): Patience {
  let pauseMs = baseMs
  let askedMs = Number.NEGATIVE_INFINITY
  return {
    next(nowMs) {
      const isAtOnce = nowMs - askedMs <= 2 * pauseMs
      pauseMs = isAtOnce ? Math.min(capMs, 2 * pauseMs) : baseMs
      askedMs = nowMs + pauseMs
      return pauseMs
    },
  }
}
