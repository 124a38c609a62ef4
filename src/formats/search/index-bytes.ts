import { LENGTH_PARTS } from './lengthwise.ts'
import { BLOCK, type SearchIndex } from './search-index.ts'
import { findWideTerms } from './wide-terms.ts'

/** How long the parts of an index are; enough to find them in a file. */
export interface IndexSizes {
  readonly documents: number
  readonly words: number
  readonly postings: number
  /** How many lengths words have. */
  readonly lengths: number
  /** Letters of the words; those that begin a block are counted a second time in `headLetters`. */
  readonly letters: number
  readonly headLetters: number
  /** Bytes of a letter: 1, or 2 where there are some that need them. */
  readonly letterBytes: number
  /** How many terms are wide, how many letters they have, and how many documents are the best of one. */
  readonly wideTerms: number
  readonly wideLetters: number
  readonly wideBest: number
}

/** The words and what is told of each; what only slips in spelling need; where words stand. */
export function indexToBytes(index: SearchIndex): { readonly sizes: IndexSizes; readonly bytes: Buffer } {
  const { documents, heads, nameLengths, lengthwise } = index
  const words = index.wordsOf(0, heads.length)
  const starts = index.starts(0, words.length)
  const postings = index.postings(0, starts[words.length] ?? 0)
  const blocks = new Uint32Array(heads.length + 1)
  words.forEach((word, at) => {
    const block = Math.floor(at / BLOCK)
    blocks[block + 1] = Math.max(blocks[block] ?? 0, blocks[block + 1] ?? 0) + word.length + 1
  })
  const byLength = lengthwise.codes(0, Number.POSITIVE_INFINITY)
  const letterBytes = byLength.BYTES_PER_ELEMENT
  const text = (all: string) => Buffer.from(all, encodingOf({ letterBytes }))
  const wide = findWideTerms(index)
  const parts = [
    blocks,
    text(linesOf(heads)),
    starts,
    text(linesOf(words)),
    nameLengths,
    lengthwise.lengths,
    lengthwise.letters(0, words.length),
    lengthwise.numbers(0, words.length),
    byLength,
    postings,
    Uint32Array.from(wide.flatMap(({ documents: having, best }) => [having, best.length])),
    text(linesOf(wide.map(({ term }) => term))),
    ...wide.flatMap(({ relevance, capability, best }) => [relevance, capability, best]),
  ]
  const bytes = Buffer.concat(
    parts.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  )
  const sizes = {
    documents,
    words: words.length,
    postings: postings.length,
    lengths: lengthwise.lengths.length / LENGTH_PARTS,
    letters: byLength.length,
    headLetters: heads.join('').length,
    letterBytes,
    wideTerms: wide.length,
    wideLetters: wide.reduce((sum, { term }) => sum + term.length, 0),
    wideBest: wide.reduce((sum, { best }) => sum + best.length, 0),
  }
  return { sizes, bytes }
}

function linesOf(words: readonly string[]): string {
  return words.map((word) => `${word}\n`).join('')
}

/** Of each wide term: how many documents have it, and how many are the best. */
export const WIDE_PARTS = 2
/** Of each of the best: two numbers of what it has, and its own. */
export const BEST_BYTES = 20

/** As many bytes for each letter: a part of a text can be found without reading what is before it. */
export function encodingOf({ letterBytes }: Pick<IndexSizes, 'letterBytes'>): 'latin1' | 'utf16le' {
  return letterBytes === 1 ? 'latin1' : 'utf16le'
}

/** Where the parts lie, and where they end. */
export function placesOfParts({
  documents,
  words,
  postings,
  lengths,
  letters,
  headLetters,
  letterBytes,
  wideTerms,
  wideLetters,
  wideBest,
}: IndexSizes) {
  const blocks = Math.ceil(words / BLOCK)
  const heads = 4 * (blocks + 1)
  const starts = heads + letterBytes * (headLetters + blocks)
  const text = starts + 4 * (words + 1)
  const nameLengths = text + letterBytes * (letters + words)
  const lengthsAt = nameLengths + documents
  const lettersAt = lengthsAt + 4 * LENGTH_PARTS * lengths
  const numbers = lettersAt + 4 * words
  const byLength = numbers + 4 * words
  const postingsAt = byLength + letterBytes * letters
  const wide = postingsAt + 4 * postings
  const wideText = wide + 4 * WIDE_PARTS * wideTerms
  const wideBestAt = wideText + letterBytes * (wideLetters + wideTerms)
  const end = wideBestAt + BEST_BYTES * wideBest
  return {
    blocks,
    heads,
    starts,
    text,
    nameLengths,
    lengths: lengthsAt,
    letters: lettersAt,
    numbers,
    byLength,
    postings: postingsAt,
    wide,
    wideText,
    wideBest: wideBestAt,
    end,
  }
}

export function bytesOfIndex(sizes: IndexSizes): number {
  return placesOfParts(sizes).end
}
