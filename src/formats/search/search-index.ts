import { FIELD_BITS, FIELDS, weigh } from './weights.ts'
import { wordsOf } from './words.ts'

/** What can be found, and by which of its texts. */
export interface Searchable {
  readonly name: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly capabilities: readonly string[]
}

/**
 * Every distinct word and where it stands, in a form that is used as it lies in a file: nothing is read but what a
 * search touches. Documents are known by their number.
 */
export interface SearchIndex {
  readonly documents: number
  /** All words, sorted, each behind a line break. */
  readonly words: string
  /** Where each word begins in `words`, and where one more would. */
  readonly places: Uint32Array
  /** Where the postings of each word begin, and where those of one more would. */
  readonly starts: Uint32Array
  /** All words by their numbers, those with the fewest letters first. */
  readonly byLength: Uint32Array
  /** Which letters each of those has, a bit for each, to tell most words apart without looking at them. */
  readonly letters: Uint32Array
  /** How many words the name of each document has. */
  readonly nameLengths: Uint8Array
  /**
   * Those from one place to another. Each is a document and the fields that have the word, `document << FIELD_BITS |
   * fields`; of a word those come first where it means most, and of equal ones the first document.
   */
  readonly postings: (from: number, to: number) => Uint32Array
}

export function buildSearchIndex(documents: readonly Searchable[]): SearchIndex {
  const found = new Map<string, number[]>()
  const nameLengths = new Uint8Array(documents.length)
  documents.forEach((document, number) => {
    nameLengths[number] = Math.min(255, wordsOf(document.name).length)
    FIELDS.forEach((field, bit) => {
      for (const word of wordsOf(textOf(document, field))) note(found, word, number, 1 << bit)
    })
  })
  const words = [...found.keys()].sort()
  const places = new Uint32Array(words.length + 1)
  const starts = new Uint32Array(words.length + 1)
  const all: number[] = []
  words.forEach((word, at) => {
    places[at + 1] = (places[at] ?? 0) + word.length + 1
    for (const posting of bestFirst(found.get(word) ?? [], nameLengths)) all.push(posting)
    starts[at + 1] = all.length
  })
  const postings = Uint32Array.from(all)
  const lengthOf = (word: number) => words[word]?.length ?? 0
  const byLength = Uint32Array.from(words.keys()).sort((a, b) => lengthOf(a) - lengthOf(b) || a - b)
  return {
    documents: documents.length,
    words: words.map((word) => `${word}\n`).join(''),
    places,
    starts,
    byLength,
    letters: byLength.map((word) => lettersOf(words[word] ?? '')),
    nameLengths,
    postings: (from, to) => postings.subarray(from, to),
  }
}

/** Documents come in their order, so the one that was noted last is this one or none. */
function note(found: Map<string, number[]>, word: string, document: number, field: number): void {
  const postings = found.get(word)
  if (postings === undefined) {
    found.set(word, [(document << FIELD_BITS) | field])
    return
  }
  const last = postings.length - 1
  const before = postings[last] ?? 0
  if (before >>> FIELD_BITS === document) postings[last] = before | field
  else postings.push((document << FIELD_BITS) | field)
}

/** They come in the order of their documents, and those that mean as much stay in it. */
function bestFirst(postings: readonly number[], nameLengths: Uint8Array): number[] {
  const groups = new Map<number, number[]>()
  for (const posting of postings) {
    const meaning = weigh(posting, nameLengths[posting >>> FIELD_BITS] ?? 0)
    const group = groups.get(meaning)
    if (group === undefined) groups.set(meaning, [posting])
    else group.push(posting)
  }
  return [...groups].sort(([a], [b]) => b - a).flatMap(([, group]) => group)
}

/** A slip in a word adds at most one bit, and takes at most one away. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    // Digits have bits of their own: there are many numbers, and a word is not one of them.
    letters |= 1 << (code < 64 ? 27 + (code % 5) : code & 31)
  }
  return letters >>> 0
}

function textOf(document: Searchable, field: (typeof FIELDS)[number]): string {
  const text = document[field]
  return typeof text === 'string' ? text : text.join(' ')
}
