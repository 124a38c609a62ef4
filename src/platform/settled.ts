/** Some file systems count in seconds, and FAT in two of them. */
const COARSE_MS = 2_000
/** The others go by a clock of the system that moves on at least every ten milliseconds. */
const FINE_MS = 50

/**
 * Whether the next change to a file will bear another time than its last one, which was at `changedMs`. A full second is
 * taken for the time of a coarse clock.
 */
export function isSettled(changedMs: number, nowMs: number): boolean {
  return nowMs - changedMs > (changedMs % 1_000 === 0 ? COARSE_MS : FINE_MS)
}
