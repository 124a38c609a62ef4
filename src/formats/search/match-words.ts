import { BLOCK, type SearchIndex } from './search-index.ts'

/** A word of an index that is what was looked for, begins with it, or is spelled nearly so. */
export interface WordMatch {
  /** Its number in the index. */
  readonly word: number
  /** From 0 to 1. */
  readonly closeness: number
  /** Where its postings begin, and where they end. */
  readonly begin: number
  readonly end: number
}

/** Words that begin with a term. They stand together, because words are sorted. */
export interface Beginnings {
  /** The number of the first. */
  readonly from: number
  readonly words: readonly string[]
  /** Where the postings of each begin, and where those of the last one end. */
  readonly starts: Uint32Array
}

/** The word itself and those that begin with it. */
export function matchBeginnings({ words, heads, wordsOf, starts }: SearchIndex, term: string): Beginnings {
  // The first may stand in the block before the first one whose head is not before it.
  const firstBlock = Math.max(0, firstFrom(heads, term) - 1)
  const known = wordsOf(firstBlock, Math.max(firstBlock + 1, firstFrom(heads, behindAll(term))))
  const from = firstFrom(known, term)
  const number = firstBlock * BLOCK + from
  // A damaged file may say anything.
  const most = Math.max(0, words - number)
  const found = known.slice(from, firstFrom(known, behindAll(term))).slice(0, most)
  return found.length === 0
    ? NO_BEGINNINGS
    : { from: number, words: found, starts: starts(number, number + found.length) }
}

export const NO_BEGINNINGS: Beginnings = { from: 0, words: [], starts: new Uint32Array(1) }

/** Behind all words that begin with it: this is no letter, and comes after all of them. */
function behindAll(term: string): string {
  return `${term}\uffff`
}

/** How close a word of so many letters is to one of `asked` letters that it begins with. */
export function closenessOf(length: number, asked: number): number {
  return length === asked ? 1 : 0.6 + (0.3 * asked) / length
}

/** The place of the first word that is not before the term. */
function firstFrom(sorted: readonly string[], term: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') < term) low = middle + 1
    else high = middle
  }
  return low
}
