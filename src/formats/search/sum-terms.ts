import type { WordMatch } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'
import { CAPABILITIES, FIELD_BITS, weigh } from './weights.ts'

/** A word that was looked for, as an index has it. */
export interface AskedTerm {
  readonly weight: number
  readonly words: readonly WordMatch[]
}

/** Sums of the documents of one index. */
interface Sheet {
  readonly relevance: Float64Array
  readonly capability: Float64Array
  /** The documents that have any, the first `count` of it. */
  readonly touched: Uint32Array
  count: number
}

function createSheet(documents: number): Sheet {
  return {
    relevance: new Float64Array(documents),
    capability: new Float64Array(documents),
    touched: new Uint32Array(documents),
    count: 0,
  }
}

/** What the documents have of all terms, and which have any, in their order. */
export function sumTerms(
  index: SearchIndex,
  terms: readonly AskedTerm[],
): Pick<Sheet, 'relevance' | 'capability' | 'touched'> {
  const sums = createSheet(index.documents)
  const one = createSheet(index.documents)
  for (const { words, weight } of terms) {
    for (const word of words) addWord(index, word, one)
    moveTerm(one, weight, sums)
  }
  return { ...sums, touched: sums.touched.subarray(0, sums.count).sort() }
}

/** How well each document has one term. Several places together count more than the best of them. */
function addWord(
  { documents, starts, nameLengths, postings }: SearchIndex,
  { word, closeness }: WordMatch,
  sheet: Sheet,
): void {
  const { relevance, capability, touched } = sheet
  const all = postings(starts[word] ?? 0, starts[word + 1] ?? 0)
  let [fields, nameLength, value] = [0, 0, 0]
  for (let at = 0; at < all.length; at++) {
    const posting = all[at] ?? 0
    const document = posting >>> FIELD_BITS
    // A damaged file may say anything.
    if (document >= documents) continue
    const length = nameLengths[document] ?? 1
    // Those that mean as much stand together.
    if ((posting & ALL_FIELDS) !== fields || length !== nameLength) {
      fields = posting & ALL_FIELDS
      nameLength = length
      value = closeness * weigh(fields, nameLength)
    }
    const before = relevance[document] ?? 0
    if (before === 0) touched[sheet.count++] = document
    relevance[document] = before + (1 - before) * value
    if ((fields & CAPABILITIES) !== 0) capability[document] = Math.max(capability[document] ?? 0, closeness)
  }
}

const ALL_FIELDS = (1 << FIELD_BITS) - 1

/** One term is added to the sums; its own sheet is empty again. */
function moveTerm(one: Sheet, weight: number, sums: Sheet): void {
  for (let at = 0; at < one.count; at++) {
    const document = one.touched[at] ?? 0
    const before = sums.relevance[document] ?? 0
    if (before === 0) sums.touched[sums.count++] = document
    sums.relevance[document] = before + weight * (one.relevance[document] ?? 0)
    sums.capability[document] = (sums.capability[document] ?? 0) + weight * (one.capability[document] ?? 0)
    one.relevance[document] = 0
    one.capability[document] = 0
  }
  one.count = 0
}
