/**
 * A stretch of time, by a short name: `h` and the hour since 1970, `d` and the day, or `o` for all that is older.
 * What is recent is told by the hour, what is not by the day, and in the end only that it was.
 */
export type Slot = `h${number}` | `d${number}` | 'o'

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** How far back there are hours, and days. */
export const HOURS_KEPT_MS = 2 * DAY_MS
export const DAYS_KEPT_MS = 60 * DAY_MS

export function slotAt(ms: number): Slot {
  return `h${Math.floor(ms / HOUR_MS)}`
}

export function isSlot(text: string): text is Slot {
  return /^(?:[hd][0-9]{1,9}|o)$/.test(text)
}

export function startOf(slot: Slot): number {
  if (slot === 'o') return 0
  return Number(slot.slice(1)) * (slot.startsWith('h') ? HOUR_MS : DAY_MS)
}

/** Where a slot belongs by now; what is kept by the day, or not at all, may be told to be younger. */
export function coarsen(slot: Slot, now: number, hoursMs = HOURS_KEPT_MS, daysMs = DAYS_KEPT_MS): Slot {
  if (slot === 'o') return slot
  const day = Math.floor(startOf(slot) / DAY_MS)
  const end = (day + 1) * DAY_MS
  if (end <= now - daysMs) return 'o'
  return end <= now - hoursMs ? `d${day}` : slot
}

/**
 * From where on something is told that was asked for since then: the beginning of its hour, or of its day where
 * hours are not kept any more (UTC). Null: further back nothing is told apart, so all of it.
 */
export function sinceSlot(since: number, now: number): number | null {
  if (since < now - DAYS_KEPT_MS) return null
  const width = since >= now - HOURS_KEPT_MS ? HOUR_MS : DAY_MS
  return Math.floor(since / width) * width
}
