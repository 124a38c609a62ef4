import { isUtf8 } from 'node:buffer'
import { NO_TEXT, type Text } from '../model/index.ts'

/**
 * UTF-8 as text, everything else as base64. Output that was `cut` may end inside a character: that rest is left
 * off, so that text stays text.
 */
export function textOf(bytes: Buffer, cut: boolean): Text {
  if (bytes.length === 0) return NO_TEXT
  if (isUtf8(bytes)) return asText(bytes)
  for (let rest = 1; cut && rest <= LONGEST_REST && rest < bytes.length; rest++) {
    const whole = bytes.subarray(0, bytes.length - rest)
    if (isUtf8(whole)) return asText(whole)
  }
  return { text: bytes.toString('base64'), encoding: 'base64', bytes: bytes.length }
}

/** A UTF-8 character has up to four bytes. */
const LONGEST_REST = 3

function asText(bytes: Buffer): Text {
  return { text: bytes.toString('utf8'), encoding: 'utf8', bytes: bytes.length }
}
