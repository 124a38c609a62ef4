const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Whether JSON text nests deeper than allowed, found out before anything is built from it. */
export function isDeeperThan(json: Uint8Array, maxDepth: number): boolean {
  return hasMoreOpeningsThan(json, maxDepth) && nestsDeeperThan(json, maxDepth)
}

/** Nearly always enough, and needs to know nothing of strings. */
function hasMoreOpeningsThan(json: Uint8Array, max: number): boolean {
  let openings = 0
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if ((byte === OPEN_BRACE || byte === OPEN_BRACKET) && ++openings > max) return true
  }
  return false
}

function nestsDeeperThan(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i]
    if (inString) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      if (++depth > maxDepth) return true
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) depth--
  }
  return false
}
