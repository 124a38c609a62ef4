/** One record in a file: a line break before it, eight digits that tell whether it is whole, its text. */
export function encodeRecord(text: string): Buffer {
  const bytes = Buffer.from(text)
  const head = `\n${sumOf(bytes).toString(16).padStart(SUM_DIGITS, '0')} `
  return Buffer.concat([Buffer.from(head), bytes])
}

export interface FoundRecords {
  readonly texts: readonly string[]
  /** Behind the last whole record: what comes then may still be written. */
  readonly end: number
  /** Something in the middle is no record. */
  readonly damaged: boolean
}

/** The whole records from a place on. Text never holds a line break, so a torn record hides no other. */
export function findRecords(bytes: Buffer, from = 0): FoundRecords {
  const texts: string[] = []
  let end = from
  let isDamaged = false
  for (let at = from; at < bytes.length; ) {
    const next = bytes.indexOf(LINE_BREAK, at + 1)
    const stop = next === -1 ? bytes.length : next
    const text = readRecord(bytes.subarray(at, stop))
    if (text !== undefined) {
      texts.push(text)
      end = stop
    } else if (next !== -1) isDamaged = true
    at = stop
  }
  return { texts, end, damaged: isDamaged }
}

const LINE_BREAK = 0x0a
const SUM_DIGITS = 8
const HEAD_BYTES = 1 + SUM_DIGITS + 1

function readRecord(line: Buffer): string | undefined {
  if (line.length < HEAD_BYTES || line[0] !== LINE_BREAK) return undefined
  const written = line.toString('latin1', 1, 1 + SUM_DIGITS)
  const body = line.subarray(HEAD_BYTES)
  return /^[0-9a-f]+$/.test(written) && Number.parseInt(written, 16) === sumOf(body)
    ? body.toString('utf8')
    : undefined
}

/** FNV-1a: notices what a crash, a full or a worn disk leaves; nobody is kept from writing a right one. */
function sumOf(bytes: Uint8Array): number {
  let sum = 0x811c9dc5
  // Not `for of`: a million numbers would be boxed on their way.
  for (let i = 0; i < bytes.length; i++) sum = Math.imul(sum ^ (bytes[i] ?? 0), 0x01000193)
  return sum >>> 0
}
