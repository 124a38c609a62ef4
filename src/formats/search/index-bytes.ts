import type { SearchIndex } from './search-index.ts'

/** How long the parts of an index are; enough to find them in a file. */
export interface IndexSizes {
  readonly documents: number
  readonly words: number
  readonly postings: number
  readonly wordBytes: number
}

export function indexToBytes(index: SearchIndex): { readonly sizes: IndexSizes; readonly bytes: Buffer } {
  const words = Buffer.from(index.words, 'utf8')
  const bytes = Buffer.concat([
    ...[index.places, index.starts, index.letters, index.postings, index.nameLengths].map(
      ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
    ),
    words,
  ])
  const sizes = {
    documents: index.documents,
    words: index.places.length - 1,
    postings: index.postings.length,
    wordBytes: words.length,
  }
  return { sizes, bytes }
}

export function bytesOfIndex({ documents, words, postings, wordBytes }: IndexSizes): number {
  return 4 * (2 * (words + 1) + words + postings) + documents + wordBytes
}

/** The index that begins there; as many bytes as it says must be there. */
export function indexFromBytes(bytes: Buffer, from: number, sizes: IndexSizes): SearchIndex {
  const { documents, words, postings, wordBytes } = sizes
  let at = from
  const numbers = (count: number) => {
    const begin = at
    at += 4 * count
    return numbersAt(bytes, begin, count)
  }
  const places = numbers(words + 1)
  const starts = numbers(words + 1)
  const letters = numbers(words)
  const numbered = numbers(postings)
  const nameLengths = bytes.subarray(at, at + documents)
  at += documents
  // As many bytes as characters: each is its own, and nothing has to be decoded.
  const encoding = places[words] === wordBytes ? 'latin1' : 'utf8'
  return {
    documents,
    places,
    starts,
    letters,
    postings: numbered,
    nameLengths,
    words: bytes.toString(encoding, at, at + wordBytes),
  }
}

/** As they lie there, where that is a place for numbers; else a copy. */
export function numbersAt(bytes: Buffer, from: number, count: number): Uint32Array {
  const place = bytes.byteOffset + from
  if (place % 4 === 0) return new Uint32Array(bytes.buffer, place, count)
  const copy = new Uint32Array(count)
  Buffer.from(copy.buffer).set(bytes.subarray(from, from + 4 * count))
  return copy
}
