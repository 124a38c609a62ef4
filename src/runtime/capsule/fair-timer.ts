/** One timer at a time: setting it again forgets what was set before. */
export interface FairTimer {
  /** Undefined, endless or beyond what a timer can count: it does not ring. */
  set(ms: number | undefined, ring: () => void): void
  clear(): void
}

/** Beyond this (24 days) a Node timer fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * An event loop that was blocked sees a timer before what came in earlier: that gets a turn to be heard, and may
 * clear the timer.
 */
export function createFairTimer(): FairTimer {
  let timer: NodeJS.Timeout | undefined
  let turn: NodeJS.Immediate | undefined

  function clear(): void {
    clearTimeout(timer)
    clearImmediate(turn)
  }
  return {
    clear,
    set(ms, ring) {
      clear()
      if (ms === undefined || ms > LONGEST_TIMER_MS) return
      timer = setTimeout(() => {
        turn = setImmediate(ring)
      }, ms)
    },
  }
}
