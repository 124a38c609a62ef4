import { type Lengthwise, orderByLength } from './lengthwise.ts'
import { FIELD_BITS, FIELDS, weigh } from './weights.ts'
import type { WideTerm } from './wide-terms.ts'
import { wordsOf } from './words.ts'

/** What can be found, and by which of its texts. */
export interface Searchable {
  readonly name: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly capabilities: readonly string[]
}

/** So many words are read at once, of which only the first is known before. */
export const BLOCK = 64

/**
 * Every distinct word and where it stands, in a form that is used as it lies in a file: nothing is read but what a
 * search touches. Words are known by their number in their order, documents by theirs.
 */
export interface SearchIndex {
  readonly documents: number
  /** How many there are. */
  readonly words: number
  /** The first word of each block. */
  readonly heads: readonly string[]
  /** The words of the blocks from one to another, sorted. */
  readonly wordsOf: (from: number, to: number) => readonly string[]
  /** Where the postings of the words from one to another begin, and where those of that one do. */
  readonly starts: (from: number, to: number) => Uint32Array
  readonly lengthwise: Lengthwise
  /** How many words the name of each document has. */
  readonly nameLengths: Uint8Array
  /**
   * Those from one place to another. Each is a document and the fields that have the word, `document << FIELD_BITS |
   * fields`; of a word those come first where it means most, and of equal ones the first document.
   */
  readonly postings: (from: number, to: number) => Uint32Array
  /** What was found out of a term before anyone asked for it; undefined: nothing was. */
  readonly wide: (term: string) => WideTerm | undefined
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
  const starts = new Uint32Array(words.length + 1)
  const all: number[] = []
  words.forEach((word, at) => {
    for (const posting of bestFirst(found.get(word) ?? [], nameLengths)) all.push(posting)
    starts[at + 1] = all.length
  })
  const postings = Uint32Array.from(all)
  return {
    documents: documents.length,
    words: words.length,
    heads: words.filter((_, at) => at % BLOCK === 0),
    wordsOf: (from, to) => words.slice(from * BLOCK, to * BLOCK),
    starts: (from, to) => starts.subarray(from, to + 1),
    lengthwise: orderByLength(words),
    nameLengths,
    postings: (from, to) => postings.subarray(from, to),
    wide: () => undefined,
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

function textOf(document: Searchable, field: (typeof FIELDS)[number]): string {
  const text = document[field]
  return typeof text === 'string' ? text : text.join(' ')
}
