const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** What is put together from deeper messages, here and by tools, might not fit on a stack. */
export const MAX_DEPTH = 64
export const TOO_DEEP = `The JSON nests deeper than ${MAX_DEPTH} levels`

/** Whether JSON text nests deeper than allowed, found out before anything is built from it. */
export function isTooDeep(json: Uint8Array): boolean {
  return hasMoreOpeningsThan(json, MAX_DEPTH) && nestsDeeperThan(json, MAX_DEPTH)
}

/** The same of text that is short as a rule. */
export function isTextTooDeep(json: string): boolean {
  return occurrences(json, '{') + occurrences(json, '[') > MAX_DEPTH && isTooDeep(Buffer.from(json))
}

/** As many as matter here. */
function occurrences(text: string, character: string): number {
  let count = 0
  for (let at = text.indexOf(character); at !== -1 && count <= MAX_DEPTH; count++) {
    at = text.indexOf(character, at + 1)
  }
  return count
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
