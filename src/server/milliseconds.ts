/** What durations are taken from. `performance` would load a module of Node before the first answer. */
export function clockMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1_000 + nanoseconds / 1_000_000
}

/** A duration as logs show it: to the microsecond. */
export function milliseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
