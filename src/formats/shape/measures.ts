import type { Shape } from './declaration.ts'
import { mismatch } from './mismatch.ts'

const DURATION_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 }

/** Seconds as a number, or `30s`, `500ms`, `2m`, `1h`. Read as milliseconds. */
export function duration(about: string): Shape<number> {
  const shape = measure(about, 'a time such as 30, 30s or 500ms', DURATION_MS, 1000)
  return { ...shape, written: (ms) => Number(ms) / 1000 }
}

const SIZE_BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1000,
  mb: 1_000_000,
  gb: 1_000_000_000,
  kib: 1024,
  mib: 1_048_576,
  gib: 1_073_741_824,
}

/** Bytes as a number, or `256MiB`, `10MB`. */
export function size(about: string): Shape<number> {
  return measure(about, 'a size such as 1048576, 10MB or 256MiB', SIZE_BYTES, 1)
}

function measure(
  about: string,
  expected: string,
  units: Readonly<Record<string, number>>,
  plainUnit: number,
): Shape<number> {
  return {
    about,
    schema: () => ({ type: ['number', 'string'], description: about }),
    fromText: (written) => (/^[\d.]+$/.test(written) ? Number(written) : written),
    read(value, at, issues) {
      const match = typeof value === 'string' ? /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(value.trim()) : null
      const unit = match?.[2] === undefined ? undefined : units[match[2].toLowerCase()]
      const read = Math.round(
        typeof value === 'number' ? value * plainUnit : Number(match?.[1]) * (unit ?? Number.NaN),
      )
      return read > 0 && Number.isSafeInteger(read) ? read : mismatch(issues, at, expected, value)
    },
  }
}
