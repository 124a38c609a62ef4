/** What is looked for as one: letters and digits, in small letters. */
export function wordsOf(text: string): string[] {
  const small = text.toLowerCase()
  // As many bytes as characters: no others than these can be in it, and to make the general expression takes long.
  const isPlain = Buffer.byteLength(small) === small.length
  return small.match(isPlain ? PLAIN_WORD : WORD) ?? []
}

const WORD = /[\p{L}\p{N}]+/gu
const PLAIN_WORD = /[a-z0-9]+/g

/** The words of a question that say what is wanted; all of them when none does. */
export function termsOf(query: string): string[] {
  const words = [...new Set(wordsOf(query))].slice(0, MOST_TERMS)
  const telling = words.filter((word) => !FILLERS.has(word))
  return telling.length > 0 ? telling : words
}

/** Nobody means more, and each one is looked for. */
const MOST_TERMS = 32

const FILLERS: ReadonlySet<string> = new Set(
  'a an and as at by for from i in into is it me my of on or some that the this to want with'.split(' '),
)
