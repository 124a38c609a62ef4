/** How many calls a second there were lately, old ones counting less and less. */
export interface Demand {
  note(nowMs: number): void
  perMs(nowMs: number): number
}

/** A call counts a third of itself after this time. */
const MEMORY_MS = 5_000

export function createDemand(): Demand {
  let weight = 0
  let at = 0
  const weightAt = (nowMs: number) => weight * Math.exp((at - nowMs) / MEMORY_MS)
  return {
    note(nowMs) {
      weight = weightAt(nowMs) + 1
      at = nowMs
    },
    perMs: (nowMs) => weightAt(nowMs) / MEMORY_MS,
  }
}
