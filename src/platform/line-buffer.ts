import { numberText } from './log-json.ts'

/** Lines put together as bytes, in a room that is used again: what is written often leaves nothing to collect. */
export interface LineBuffer {
  /** How many bytes there are. */
  size(): number
  bytes(piece: Uint8Array): void
  text(text: string): void
  /** A number as JSON. */
  number(value: number): void
  /** The same, with no more than two digits behind its point. */
  hundredths(value: number): void
  /** Writes what follows a place in another way. */
  rewrite(from: number, change: (text: string) => string): void
  /** Hands over what there is and begins anew. `use` says whether it is through with the bytes when it returns. */
  empty(use: (bytes: Uint8Array) => boolean): void
}

/** Quick up to here; what is larger is written as any other text. */
const MOST_BY_DIGITS = 1e9
const ZERO = 0x30
const POINT = 0x2e
/** Of one character in UTF-8, by the length of its string. */
const MOST_BYTES = 3
const DIGITS = 9

/** `usualSize`: how much it has room for without growing. */
export function createLineBuffer(usualSize: number): LineBuffer {
  let room = Buffer.allocUnsafeSlow(usualSize)
  let end = 0

  function reserve(more: number): void {
    if (end + more <= room.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * room.length, end + more))
    room.copy(larger, 0, 0, end)
    room = larger
  }

  function text(written: string): void {
    reserve(written.length * MOST_BYTES)
    end += room.write(written, end)
  }

  function number(value: number): void {
    // `| 0` keeps the sign of zero out of it as well.
    const whole = value | 0
    if (whole !== value || whole < 0 || whole >= MOST_BY_DIGITS) text(numberText(value))
    else digits(whole)
  }

  function digits(whole: number): void {
    reserve(DIGITS)
    let place = end
    for (let least = 10; whole >= least; least *= 10) place++
    end = place + 1
    for (let left = whole; place >= 0; place--) {
      const rest = (left / 10) | 0
      room[place] = ZERO + left - 10 * rest
      if (rest === 0) return
      left = rest
    }
  }

  function hundredths(value: number): void {
    const all = Math.round(value * 100)
    if (!(all >= 0 && all < MOST_BY_DIGITS)) {
      text(numberText(all / 100))
      return
    }
    const whole = (all / 100) | 0
    const rest = all - 100 * whole
    digits(whole)
    if (rest === 0) return
    reserve(DIGITS)
    const tenths = (rest / 10) | 0
    room[end++] = POINT
    room[end++] = ZERO + tenths
    if (rest !== 10 * tenths) room[end++] = ZERO + rest - 10 * tenths
  }

  return {
    size: () => end,
    bytes(piece) {
      reserve(piece.length)
      room.set(piece, end)
      end += piece.length
    },
    text,
    number,
    hundredths,
    rewrite(from, change) {
      const changed = change(room.toString('utf8', from, end))
      end = from
      text(changed)
    },
    empty(use) {
      const isFree = use(room.subarray(0, end))
      end = 0
      if (!isFree || room.length > usualSize) room = Buffer.allocUnsafeSlow(usualSize)
    },
  }
}
