/** A duration as logs show it: to the microsecond. */
export function milliseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
