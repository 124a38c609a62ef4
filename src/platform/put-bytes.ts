import { numberText } from './log-json.ts'

// Each puts something into a room that is large enough and tells where it ends: no place has to be kept in between, as
// the methods of a buffer would for every piece.

/** As long as a number may become. */
export const MOST_NUMBER_BYTES = 32

/** Quick up to here; what is larger is written as any other text. */
const MOST_BY_DIGITS = 1e9
const ZERO = 0x30
const POINT = 0x2e

export function putBytes(room: Uint8Array, at: number, piece: Uint8Array): number {
  room.set(piece, at)
  return at + piece.length
}

/** A number as JSON. */
export function putNumber(room: Uint8Array, at: number, value: number): number {
  // `| 0` keeps the sign of zero out of it as well.
  const whole = value | 0
  if (whole !== value || whole < 0 || whole >= MOST_BY_DIGITS) return putPlain(room, at, numberText(value))
  return putDigits(room, at, whole)
}

/** The same, with no more than two digits behind its point. */
export function putHundredths(room: Uint8Array, at: number, value: number): number {
  const all = Math.round(value * 100)
  if (!(all >= 0 && all < MOST_BY_DIGITS)) return putPlain(room, at, numberText(all / 100))
  const whole = (all / 100) | 0
  const rest = all - 100 * whole
  let end = putDigits(room, at, whole)
  if (rest === 0) return end
  const tenths = (rest / 10) | 0
  room[end++] = POINT
  room[end++] = ZERO + tenths
  if (rest !== 10 * tenths) room[end++] = ZERO + rest - 10 * tenths
  return end
}

function putDigits(room: Uint8Array, at: number, whole: number): number {
  let end = at + 1
  for (let least = 10; whole >= least; least *= 10) end++
  putDigitsBefore(room, end, whole)
  return end
}

/** Of a whole number up to a billion, where it is known where they end. */
export function putDigitsBefore(room: Uint8Array, end: number, whole: number): void {
  let left = whole
  let place = end
  do {
    const rest = (left / 10) | 0
    room[--place] = ZERO + left - 10 * rest
    left = rest
  } while (left > 0)
}

function putPlain(room: Uint8Array, at: number, text: string): number {
  for (let index = 0; index < text.length; index++) room[at + index] = text.charCodeAt(index)
  return at + text.length
}
