import { MOST_NUMBER_BYTES, putBytes, putDigitsBefore, putHundredths, putNumber } from '../platform/index.ts'

/** A number in a form: the text before it, and where it stands among the numbers of a row. */
export interface FormNumber {
  readonly before: string
  readonly column: number
  /** With no more than two digits behind its point. */
  readonly isRounded?: boolean
}

/** Text with numbers in it that is written again and again with other numbers. */
export interface NumberForm {
  /** No more bytes than these are put. */
  readonly most: number
  /** With the numbers of the row that begins at `from`. Returns where it ends. */
  put(room: Uint8Array, at: number, rows: Float64Array, from: number): number
}

/** Up to here whole numbers are put digit by digit. */
const MOST_BY_DIGITS = 1e9

/**
 * Bytes are moved all at once: what was written last is taken again, and only the digits that differ are put anew, as
 * long as each number has as many as before.
 */
export function createNumberForm(numbers: readonly FormNumber[], after: string): NumberForm {
  const slots = numbers.map(({ before, column, isRounded = false }) => ({
    before: Buffer.from(before),
    column,
    isRounded,
    /** As it was written last. */
    value: Number.NaN,
    /** Where it ended. */
    end: 0,
    /** Numbers from the one up to the other take the same place. */
    least: Number.NaN,
    limit: Number.NaN,
  }))
  type Slot = (typeof slots)[number]
  const behind = Buffer.from(after)
  const most = slots.reduce((sum, { before }) => sum + before.length + MOST_NUMBER_BYTES, behind.length)
  const written = new Uint8Array(most)
  let length = 0

  function write(rows: Float64Array, from: number): void {
    let place = 0
    for (const slot of slots) {
      const value = rows[from + slot.column] ?? 0
      place = putBytes(written, place, slot.before)
      const begun = place
      place = slot.isRounded ? putHundredths(written, place, value) : putNumber(written, place, value)
      slot.value = valueIn(slot, value)
      slot.end = place
      const isByDigits = !slot.isRounded && isWhole(value)
      slot.limit = isByDigits ? Math.min(10 ** (place - begun), MOST_BY_DIGITS) : Number.NaN
      slot.least = place - begun === 1 ? 0 : slot.limit / 10
    }
    length = putBytes(written, place, behind)
  }

  /** Whether the digits of a number could be put where those of the last one were. */
  function correct(slot: Slot, value: number, room: Uint8Array, at: number): boolean {
    if (Object.is(value, slot.value)) return true
    if (!(value >= slot.least && value < slot.limit && (value | 0) === value)) return false
    putDigitsBefore(room, at + slot.end, value)
    return true
  }

  return {
    most,
    put(room, at, rows, from) {
      room.set(written, at)
      for (const slot of slots) {
        if (correct(slot, valueIn(slot, rows[from + slot.column] ?? 0), room, at) && length > 0) continue
        write(rows, from)
        room.set(written, at)
        break
      }
      return at + length
    },
  }
}

/** As it is compared. */
function valueIn({ isRounded }: { readonly isRounded: boolean }, value: number): number {
  return isRounded ? Math.round(value * 100) : value
}

function isWhole(value: number): boolean {
  return (value | 0) === value && value >= 0 && value < MOST_BY_DIGITS
}
