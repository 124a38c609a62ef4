/** What stands where a secret stood. */
const MASK = '[secret]'
/** Shorter ones are in every text, and no secret. */
const SHORTEST = 4
/** The middle of an encoded text must be longer to be told from chance. */
const SHORTEST_INSIDE = 8

/** Takes the values out of a text, however they are spelled there. */
export function hiderOf(values: Iterable<string>): (text: string) => string {
  const spellings = spellingsOf(values)
  return (text) => spellings.reduce((left, spelling) => left.replaceAll(spelling, MASK), text)
}

/** The longest first: one may be a part of another. */
function spellingsOf(values: Iterable<string>): readonly string[] {
  const spellings = [...values].flatMap((value) => {
    const bytes = Buffer.from(value)
    const percent = encodeURIComponent(value.toWellFormed())
    const inJson = JSON.stringify(value).slice(1, -1)
    return [
      value,
      inJson,
      // What a tool printed as JSON is written as JSON once more by the log.
      JSON.stringify(inJson).slice(1, -1),
      percent,
      percent.replace(/%../g, (code) => code.toLowerCase()),
      new URLSearchParams([['', value]]).toString().slice(1),
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      ...bases(bytes),
    ]
  })
  return [...new Set(spellings)]
    .filter((spelling) => spelling.length >= SHORTEST)
    .sort((one, other) => other.length - one.length)
}

/** In base64 by itself, and within something longer, as `user:password` is in a header. */
function bases(bytes: Buffer): string[] {
  const whole = bytes.toString('base64')
  const inside = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const text = padded.toString('base64').replace(/=+$/, '')
    // The first and last characters also hold bits of what stands beside.
    const kept = text.slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6))
    return kept.length >= SHORTEST_INSIDE ? [kept] : []
  })
  return [whole, ...inside].flatMap((text) => [
    text,
    text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  ])
}
