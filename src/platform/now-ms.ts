/** For those who need `performance` for nothing else: to load it takes two milliseconds of a command. */
export function nowMs(): number {
  return process.uptime() * 1_000
}
