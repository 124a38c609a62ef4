/** The bytes of a string inside JSON, without its quotes. */
export function jsonBytes(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    bytes += costAt(text, i)
    if (isPair(text, i)) i++
  }
  return bytes
}

/** How many units of the string fit into so many bytes of JSON; never half a character. */
export function jsonPrefix(text: string, maxBytes: number): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    bytes += costAt(text, i)
    if (bytes > maxBytes) return i
    if (isPair(text, i)) i++
  }
  return text.length
}

const SHORT_ESCAPES = new Set([0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x22, 0x5c])

function costAt(text: string, i: number): number {
  const unit = text.charCodeAt(i)
  if (SHORT_ESCAPES.has(unit)) return 2
  if (unit < 0x20) return 6
  if (unit < 0x80) return 1
  if (unit < 0x800) return 2
  if (unit < 0xd800 || unit > 0xdfff) return 3
  return isPair(text, i) ? 4 : 6
}

function isPair(text: string, i: number): boolean {
  const high = text.charCodeAt(i)
  if (high < 0xd800 || high > 0xdbff) return false
  const low = text.charCodeAt(i + 1)
  return low >= 0xdc00 && low <= 0xdfff
}
