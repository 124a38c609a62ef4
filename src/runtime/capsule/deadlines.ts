import { createLine, type Line } from '../line.ts'
import { LONGEST_TIMER_MS } from './fair-timer.ts'

/**
 * When calls are to be over. Nearly all are long before, so there is no timer for each: those with the same time
 * stand in line behind one that rings for the first of them, or for nobody.
 */
export interface Deadlines {
  /** Returns a function that clears it. Endless or beyond what a timer can count: it does not ring. */
  set(ms: number, ring: () => void): () => void
}

interface Entry {
  readonly at: number
  readonly ring: () => void
  isInLine: boolean
  isCleared: boolean
}

export function createDeadlines(): Deadlines {
  const lines = new Map<number, Line<Entry>>()

  /** What is waited for keeps the program, not this. */
  function wake(ms: number, line: Line<Entry>, inMs: number): void {
    setTimeout(() => look(ms, line), inMs).unref()
  }

  function look(ms: number, line: Line<Entry>): void {
    const now = performance.now()
    for (let first = line.first(); first !== undefined; first = line.first()) {
      const left = first.value.at - now
      if (left > 0) {
        wake(ms, line, Math.ceil(left))
        return
      }
      line.leave(first)
      first.value.isInLine = false
      ringFairly(first.value)
    }
    lines.delete(ms)
  }

  function lineOf(ms: number): Line<Entry> {
    const known = lines.get(ms)
    if (known !== undefined) return known
    const line = createLine<Entry>()
    lines.set(ms, line)
    wake(ms, line, ms)
    return line
  }

  return {
    set(ms, ring) {
      if (ms > LONGEST_TIMER_MS) return () => {}
      const line = lineOf(ms)
      const entry: Entry = { at: performance.now() + ms, ring, isInLine: true, isCleared: false }
      const place = line.join(entry)
      return () => {
        entry.isCleared = true
        if (!entry.isInLine) return
        entry.isInLine = false
        line.leave(place)
      }
    },
  }
}

/** As a fair timer does it: what came in before gets a turn to be heard, and may clear it. */
function ringFairly(entry: Entry): void {
  setImmediate(() => {
    if (!entry.isCleared) entry.ring()
  })
}
