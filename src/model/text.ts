// ESC, C0 and C1 controls, DEL, bidi controls, zero-width, filler and tag characters, lone surrogates: what can
// move a cursor, hide text or forge a line on someone's screen.
const HOSTILE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu

/** Most text is of such characters, and to make the expression above takes longer than to look at much of it. */
const HARMLESS = /^[\t\n\x20-\x7e]*$/

/** Shows control sequences instead of obeying them. Newline and tab stay. */
export function escapeControls(text: string): string {
  if (HARMLESS.test(text)) return text
  return text.replace(HOSTILE, (char) => {
    const code = char.codePointAt(0) ?? 0
    return code <= 0xff ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** The same, for text that must stay on one line. */
export function oneLine(text: string): string {
  const shown = escapeControls(text)
  // Nearly no text has one, and the spaces around it are looked for at every space there is.
  const joined = shown.includes('\n') ? shown.replace(/\s*\n\s*/g, ' ') : shown
  return joined.replaceAll('\t', ' ')
}

/** A value as JSON that no reader takes for more than one line, whatever it holds. */
export function jsonLine(value: unknown, replacer?: (key: string, value: unknown) => unknown): string {
  return harmlessJson(JSON.stringify(value, replacer))
}

/** The same JSON, with everything that a screen would obey written by its number. */
export function harmlessJson(json: string): string {
  return json.replace(HOSTILE, (char) =>
    [...Array(char.length).keys()]
      .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** The candidate closest to what was typed, if any is close enough to be what was meant. */
export function nearest(typed: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(typed.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** How many slips are between two words; `cap` when there are as many or more. */
export function editDistance(a: string, b: string, cap: number): number {
  if (Math.abs(a.length - b.length) >= cap) return cap
  let before: number[] = []
  let previous: number[] = []
  let row: number[] = []
  for (let j = 0; j <= b.length; j++) previous[j] = j
  let leastBefore = 0
  for (let i = 1; i <= a.length; i++) {
    const letter = a.charCodeAt(i - 1)
    row[0] = i
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const other = b.charCodeAt(j - 1)
      let cost = (previous[j - 1] ?? 0) + (letter === other ? 0 : 1)
      cost = Math.min(cost, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other)
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1)
      row[j] = cost
      if (cost < least) least = cost
    }
    // Two letters that changed places lead over one row, not over two.
    if (least >= cap && leastBefore >= cap) return cap
    leastBefore = least
    const unused = before
    before = previous
    previous = row
    row = unused
  }
  return Math.min(cap, previous[b.length] ?? cap)
}
