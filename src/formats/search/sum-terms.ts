import { type Beginnings, closenessOf, lengthOf, type WordMatch } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'
import { CAPABILITIES, FIELD_BITS, weigh } from './weights.ts'

/** A word that was looked for, as an index has it. */
export interface AskedTerm {
  readonly weight: number
  /** How many letters it has. */
  readonly length: number
  readonly beginnings: Beginnings
  readonly near: readonly WordMatch[]
}

/** What the documents of one index have. Numbers of documents that are not in it mean nothing. */
interface Sheet {
  readonly relevance: Float64Array
  readonly capability: Float64Array
  /** Whether a document is in it, and whether by its capabilities, too. */
  readonly marks: Uint8Array
  /** The documents in it, the first `count` of it. */
  readonly touched: Uint32Array
  count: number
}

const IN = 1
const CAPABLE = 2

function createSheet(documents: number): Sheet {
  return {
    relevance: new Float64Array(documents),
    capability: new Float64Array(documents),
    marks: new Uint8Array(documents),
    touched: new Uint32Array(documents),
    count: 0,
  }
}

interface Sums extends Pick<Sheet, 'relevance' | 'capability' | 'touched'> {
  /** What all of it is yet to be multiplied by. */
  readonly weight: number
}

/** What the documents have of all terms, and which have any, in their order. */
export function sumTerms(index: SearchIndex, terms: readonly AskedTerm[]): Sums {
  const one = createSheet(index.documents)
  const [only, ...others] = terms
  if (only !== undefined && others.length === 0) {
    addTerm(index, only, one)
    return inOrder(one, only.weight)
  }
  const sums = createSheet(index.documents)
  for (const term of terms) {
    addTerm(index, term, one)
    moveTerm(one, term.weight, sums)
  }
  return inOrder(sums, 1)
}

function inOrder({ relevance, capability, touched, count }: Sheet, weight: number): Sums {
  return { relevance, capability, weight, touched: touched.subarray(0, count).sort() }
}

function addTerm(index: SearchIndex, { length, beginnings, near }: AskedTerm, sheet: Sheet): void {
  const { from, to } = beginnings
  addWords(index, from, to, (word) => closenessOf(lengthOf(index.places, word), length), sheet)
  for (const { word, closeness } of near) addWords(index, word, word + 1, () => closeness, sheet)
}

/**
 * How well each document has words that stand together. Several places count more than the best of them.
 * This runs once, before V8 makes it quick: hence one long loop, without a call or a new number for each posting.
 */
function addWords(
  { documents, starts, nameLengths, postings }: SearchIndex,
  from: number,
  to: number,
  closenessAt: (word: number) => number,
  sheet: Sheet,
): void {
  const { relevance, capability, marks, touched } = sheet
  const [bits, capable] = [FIELD_BITS, CAPABILITIES]
  const allFields = (1 << bits) - 1
  const begin = starts[from] ?? 0
  const all = postings(begin, starts[to] ?? 0)
  let { count } = sheet
  let [fields, nameLength, meaning] = [0, 0, 0]
  for (let word = from; word < to; word++) {
    const end = Math.min(all.length, (starts[word + 1] ?? 0) - begin)
    const closeness = closenessAt(word)
    let value = closeness * meaning
    for (let at = Math.max(0, (starts[word] ?? 0) - begin); at < end; at++) {
      const posting = all[at] ?? 0
      const document = posting >>> bits
      // A damaged file may say anything.
      if (document >= documents) continue
      const length = nameLengths[document] ?? 1
      // Those that mean as much stand together.
      if ((posting & allFields) !== fields || length !== nameLength) {
        fields = posting & allFields
        nameLength = length
        meaning = weigh(fields, nameLength)
        value = closeness * meaning
      }
      const mark = marks[document] ?? 0
      if (mark === 0) {
        touched[count++] = document
        marks[document] = IN
        relevance[document] = value
      } else {
        const before = relevance[document] ?? 0
        relevance[document] = before + (1 - before) * value
      }
      if ((fields & capable) === 0) continue
      const most = (mark & CAPABLE) === 0 ? 0 : (capability[document] ?? 0)
      capability[document] = Math.max(most, closeness)
      marks[document] = IN | CAPABLE
    }
  }
  sheet.count = count
}

/** One term is added to the sums; its own sheet is empty again. */
function moveTerm(one: Sheet, weight: number, sums: Sheet): void {
  const { touched, marks, relevance, capability } = one
  let { count } = sums
  for (let at = 0; at < one.count; at++) {
    const document = touched[at] ?? 0
    const value = weight * (relevance[document] ?? 0)
    if (sums.marks[document] === 0) {
      sums.touched[count++] = document
      sums.marks[document] = IN
      sums.relevance[document] = value
    } else sums.relevance[document] = (sums.relevance[document] ?? 0) + value
    if (marks[document] !== IN)
      sums.capability[document] = (sums.capability[document] ?? 0) + weight * (capability[document] ?? 0)
    marks[document] = 0
  }
  sums.count = count
  one.count = 0
}
