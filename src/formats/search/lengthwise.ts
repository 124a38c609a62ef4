/**
 * All words once more, those with the fewest letters first: who looks for words that are spelled nearly like another
 * looks only at those that are nearly as long.
 */
export interface Lengthwise {
  /** Of each length that words have: the length, the place of the first of them here, and where it begins in the text. */
  readonly lengths: Uint32Array
  /** Which letters the words from one place to another have, a bit for each, to tell most apart without looking at them. */
  readonly letters: (from: number, to: number) => Int32Array
  /** All words in a row, with nothing between them; a part of it, as the codes of letters. */
  readonly codes: (from: number, to: number) => Codes
  /** The numbers by which the words from one place to another are known. */
  readonly numbers: (from: number, to: number) => Uint32Array
}

/** A byte for each letter, or two where there are some that need them. */
export type Codes = Uint8Array | Uint16Array

/** How many numbers `lengths` has of each. */
export const LENGTH_PARTS = 3

export function orderByLength(words: readonly string[]): Lengthwise {
  const lengthOf = (word: number) => words[word]?.length ?? 0
  const numbers = Uint32Array.from(words.keys()).sort((a, b) => lengthOf(a) - lengthOf(b) || a - b)
  const ordered = Array.from(numbers, (word) => words[word] ?? '')
  const lengths: number[] = []
  let end = 0
  ordered.forEach((word, place) => {
    if (word.length !== ordered[place - 1]?.length) lengths.push(word.length, place, end)
    end += word.length
  })
  const letters = Int32Array.from(ordered, lettersOf)
  const codes = codesOf(ordered.join(''))
  return {
    lengths: Uint32Array.from(lengths),
    letters: (from, to) => letters.subarray(from, to),
    codes: (from, to) => codes.subarray(from, to),
    numbers: (from, to) => numbers.subarray(from, to),
  }
}

function codesOf(text: string): Codes {
  const codes = WIDE.test(text) ? new Uint16Array(text.length) : new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) codes[at] = text.charCodeAt(at)
  return codes
}

const WIDE = /[^\0-\xff]/
/** Letters have the bits below. */
const FIRST_OTHER = 27
const OTHERS = 5

/**
 * Which kinds of letters there are, and in the last bits of which there are two. A slip in a word adds at most one bit,
 * and takes at most one away.
 */
export function lettersOf(word: string): number {
  let once = 0
  let again = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    // Digits have bits of their own: there are many numbers, and a word is not one of them.
    const kind = code < 64 ? FIRST_OTHER + (code % OTHERS) : code & 31
    if ((once & (1 << kind)) !== 0) again |= 1 << (FIRST_OTHER + (kind % OTHERS))
    once |= 1 << kind
  }
  return once | again
}
