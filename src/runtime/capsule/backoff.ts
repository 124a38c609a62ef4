import type { RestartPolicy } from '../../model/index.ts'
import type { Life } from './lifecycle.ts'

/** Twice as long after each crash; by chance up to half of it less, so that many do not start at one moment. */
export function backoffMs(
  { crashes, unready }: Life,
  { baseMs, capMs }: RestartPolicy,
  random: () => number,
): number {
  const count = Math.max(1, crashes.length, unready)
  return Math.min(capMs, baseMs * 2 ** (count - 1)) * (0.5 + random() / 2)
}
