import type { SearchIndex } from './search-index.ts'

/** How long the parts of an index are; enough to find them in a file. */
export interface IndexSizes {
  readonly documents: number
  readonly words: number
  readonly postings: number
  readonly wordBytes: number
}

/** The words and what is told of each; what only slips in spelling need; where words stand. */
export function indexToBytes(index: SearchIndex): { readonly sizes: IndexSizes; readonly bytes: Buffer } {
  const text = Buffer.from(index.words, 'utf8')
  const { documents, places, starts, nameLengths, byLength, letters } = index
  const postings = index.postings(0, starts[starts.length - 1] ?? 0)
  const bytes = Buffer.concat(
    [places, starts, nameLengths, text, byLength, letters, postings].map(
      ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength),
    ),
  )
  const sizes = { documents, words: letters.length, postings: postings.length, wordBytes: text.length }
  return { sizes, bytes }
}

export function bytesOfIndex(sizes: IndexSizes): number {
  return bytesOfWords(sizes) + bytesOfLetters(sizes) + 4 * sizes.postings
}

function bytesOfWords({ documents, words, wordBytes }: IndexSizes): number {
  return 8 * (words + 1) + documents + wordBytes
}

function bytesOfLetters({ words }: IndexSizes): number {
  return 8 * words
}

/** Postings that are read at once: words that begin alike stand together, and so do theirs. */
const TOGETHER = 1_024

/** The index that lies there. `read` gives as many bytes as it is asked for or throws, and a part is read when wanted. */
export function indexFromBytes(
  read: (from: number, length: number) => Buffer,
  sizes: IndexSizes,
): SearchIndex {
  const lettersAt = bytesOfWords(sizes)
  const postingsAt = lettersAt + bytesOfLetters(sizes)
  let known: ReturnType<typeof wordsFromBytes> | undefined
  let compared: ReturnType<typeof lettersFromBytes> | undefined
  let postings: Uint32Array = new Uint32Array(0)
  let begin = 0
  const words = () => {
    known ??= wordsFromBytes(read(0, lettersAt), sizes)
    return known
  }
  const letters = () => {
    compared ??= lettersFromBytes(read(lettersAt, bytesOfLetters(sizes)), sizes)
    return compared
  }
  return {
    documents: sizes.documents,
    get words() {
      return words().words
    },
    get places() {
      return words().places
    },
    get starts() {
      return words().starts
    },
    get nameLengths() {
      return words().nameLengths
    },
    get byLength() {
      return letters().byLength
    },
    get letters() {
      return letters().letters
    },
    postings(from, to) {
      // A damaged file may say anything of where they are.
      const count = Math.max(0, Math.min(to, sizes.postings) - from)
      if (count === 0) return postings.subarray(0, 0)
      if (from < begin || from + count > begin + postings.length) {
        const length = Math.max(count, Math.min(TOGETHER, sizes.postings - from))
        postings = numbersAt(read(postingsAt + 4 * from, 4 * length), 0, length)
        begin = from
      }
      return postings.subarray(from - begin, from - begin + count)
    },
  }
}

function wordsFromBytes(bytes: Buffer, { documents, words, wordBytes }: IndexSizes) {
  const numberBytes = 4 * (words + 1)
  const places = numbersAt(bytes, 0, words + 1)
  const textAt = 2 * numberBytes + documents
  // As many bytes as characters: each is its own, and nothing has to be decoded.
  const encoding = places[words] === wordBytes ? 'latin1' : 'utf8'
  return {
    places,
    starts: numbersAt(bytes, numberBytes, words + 1),
    nameLengths: bytes.subarray(2 * numberBytes, textAt),
    words: bytes.toString(encoding, textAt, textAt + wordBytes),
  }
}

function lettersFromBytes(bytes: Buffer, { words }: IndexSizes) {
  return { byLength: numbersAt(bytes, 0, words), letters: numbersAt(bytes, 4 * words, words) }
}

/** As they lie there, where that is a place for numbers; else a copy. */
export function numbersAt(bytes: Buffer, from: number, count: number): Uint32Array {
  const place = bytes.byteOffset + from
  if (place % 4 === 0) return new Uint32Array(bytes.buffer, place, count)
  const copy = new Uint32Array(count)
  Buffer.from(copy.buffer).set(bytes.subarray(from, from + 4 * count))
  return copy
}
