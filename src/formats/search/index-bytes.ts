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
    ...[index.places, index.starts, index.postings, index.nameLengths].map(
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
  return 4 * (2 * (words + 1) + postings) + documents + wordBytes
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
  const numbered = numbers(postings)
  const nameLengths = new Uint8Array(bytes.subarray(at, at + documents))
  at += documents
  return {
    documents,
    places,
    starts,
    postings: numbered,
    nameLengths,
    words: bytes.toString('utf8', at, at + wordBytes),
  }
}

/** Copied, because numbers must lie at certain places in memory and those of a file may not. */
export function numbersAt(bytes: Buffer, from: number, count: number): Uint32Array {
  const copy = new Uint32Array(count)
  Buffer.from(copy.buffer).set(bytes.subarray(from, from + 4 * count))
  return copy
}
