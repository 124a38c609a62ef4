import { OrlaError } from '../model/index.ts'

const UNITS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
  w: 7 * 24 * 3_600_000,
}

/** `24h`, `7d`, `2026-01-31`, `2026-01-31T12:00Z` → milliseconds since 1970. */
export function parseSince(written: string | undefined, now: number): number | undefined {
  if (written === undefined) return undefined
  const [, amount, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(written) ?? []
  const length = UNITS[unit]
  if (amount !== undefined && length !== undefined) return Math.max(0, now - Number(amount) * length)
  const at = /^\d{4}-\d{2}-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:?\d{2})?)?$/.test(written) ? Date.parse(written) : NaN
  if (Number.isNaN(at) || at > now) {
    throw new OrlaError('E_USAGE', `--since ${JSON.stringify(written)} is no time in the past`, {
      hint: 'write 24h, 7d, or a date such as 2026-01-31',
    })
  }
  return Math.max(0, at)
}
