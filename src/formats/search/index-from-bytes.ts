import { BEST_BYTES, encodingOf, type IndexSizes, placesOfParts, WIDE_PARTS } from './index-bytes.ts'
import { type Codes, LENGTH_PARTS } from './lengthwise.ts'
import type { SearchIndex } from './search-index.ts'

/** Postings that are read at once: words that begin alike stand together, and so do theirs. */
const TOGETHER = 1_024

/** The index that lies there. `read` gives as many bytes as it is asked for or throws, and a part is read when wanted. */
export function indexFromBytes(
  read: (from: number, length: number) => Buffer,
  sizes: IndexSizes,
): SearchIndex {
  const at = placesOfParts(sizes)
  const encoding = encodingOf(sizes)
  const { letterBytes } = sizes
  let begin = 0
  let postings: Uint32Array = new Uint32Array(0)

  /** A damaged file may say anything of where something is: no more is read than there is. */
  function numbers(place: number, all: number, from: number, to: number): Uint32Array {
    const [first, behind] = [Math.min(from, all), Math.min(to, all)]
    const count = Math.max(0, behind - first)
    return count === 0 ? NONE : numbersAt(read(place + 4 * first, 4 * count), 0, count)
  }

  function letters(place: number, all: number, from: number, to: number): Buffer {
    const [first, behind] = [Math.min(from, all), Math.min(to, all)]
    return read(place + letterBytes * first, letterBytes * Math.max(0, behind - first))
  }

  function codes(place: number, all: number, from: number, to: number): Codes {
    const bytes = letters(place, all, from, to)
    if (letterBytes === 1) return bytes
    const { buffer, byteOffset, length } = bytes
    // As they lie there, where that is a place for them.
    if (byteOffset % 2 === 0) return new Uint16Array(buffer, byteOffset, length / 2)
    return Uint16Array.from({ length: length / 2 }, (_, at) => bytes.readUInt16LE(2 * at))
  }

  const blocks = once(() => {
    const bytes = read(0, at.starts)
    const heads = bytes.toString(encoding, at.heads).split('\n')
    return { places: numbersAt(bytes, 0, at.blocks + 1), heads: heads.slice(0, at.blocks) }
  })
  const nameLengths = once(() => read(at.nameLengths, sizes.documents))
  const lengths = once(() => {
    const count = LENGTH_PARTS * sizes.lengths
    return numbers(at.lengths, count, 0, count)
  })
  const wide = once(() => {
    const bytes = read(at.wide, at.wideBest - at.wide)
    const terms = bytes
      .toString(encoding, at.wideText - at.wide)
      .split('\n')
      .slice(0, -1)
    return { terms, counts: numbersAt(bytes, 0, WIDE_PARTS * sizes.wideTerms) }
  })
  return {
    documents: sizes.documents,
    words: sizes.words,
    get heads() {
      return blocks().heads
    },
    wordsOf(from, to) {
      const { places } = blocks()
      const all = sizes.letters + sizes.words
      return letters(at.text, all, places[from] ?? all, places[Math.min(to, at.blocks)] ?? all)
        .toString(encoding)
        .split('\n')
        .slice(0, -1)
    },
    starts: (from, to) => numbers(at.starts, sizes.words + 1, from, to + 1),
    lengthwise: {
      get lengths() {
        return lengths()
      },
      letters(from, to) {
        const { buffer, byteOffset, length } = numbers(at.letters, sizes.words, from, to)
        return new Int32Array(buffer, byteOffset, length)
      },
      numbers: (from, to) => numbers(at.numbers, sizes.words, from, to),
      codes: (from, to) => codes(at.byLength, sizes.letters, from, to),
    },
    get nameLengths() {
      return nameLengths()
    },
    wide(term) {
      const number = wide().terms.indexOf(term)
      if (number < 0) return undefined
      const { counts } = wide()
      let from = 0
      for (let before = 0; before < number; before++) from += counts[before * WIDE_PARTS + 1] ?? 0
      from = Math.min(from, sizes.wideBest)
      const count = Math.min(counts[number * WIDE_PARTS + 1] ?? 0, sizes.wideBest - from)
      const bytes = read(at.wideBest + BEST_BYTES * from, BEST_BYTES * count)
      return {
        documents: counts[number * WIDE_PARTS] ?? 0,
        relevance: fractionsAt(bytes, 0, count),
        capability: fractionsAt(bytes, 8 * count, count),
        best: numbersAt(bytes, 16 * count, count),
      }
    },
    postings(from, to) {
      const count = Math.max(0, Math.min(to, sizes.postings) - from)
      if (count === 0) return NONE
      if (from < begin || from + count > begin + postings.length) {
        const length = Math.max(count, Math.min(TOGETHER, sizes.postings - from))
        postings = numbers(at.postings, sizes.postings, from, from + length)
        begin = from
      }
      return postings.subarray(from - begin, from - begin + count)
    },
  }
}

const NONE = new Uint32Array(0)

function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
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

function fractionsAt(bytes: Buffer, from: number, count: number): Float64Array {
  const place = bytes.byteOffset + from
  if (place % 8 === 0) return new Float64Array(bytes.buffer, place, count)
  return new Float64Array(bytes.buffer.slice(place, place + 8 * count))
}
