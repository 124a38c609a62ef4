import type { SearchIndex } from './search-index.ts'
import { type AskedTerm, sumTerms } from './sum-terms.ts'
import { FIELD_BITS } from './weights.ts'

/** Fewer places are looked at sooner than it is found out that they need not be. */
const WIDE = 1_000

interface Narrowed {
  readonly terms: readonly AskedTerm[]
  /** Documents that have only what was left out: none of them can be among the best. */
  readonly others: number
}

/**
 * A term that is nearly everywhere, as two letters are that many words begin with, says little beside the others. When
 * enough documents have more of the others than it could ever give, only those have to be looked at for it.
 */
export function narrowTerms(index: SearchIndex, terms: readonly AskedTerm[], limit: number): Narrowed {
  const all = { terms, others: 0 }
  const places = terms.map((term) => placesOf(index, term))
  const most = Math.max(...places)
  const wide = terms[places.indexOf(most)]
  const rest = terms.filter((term) => term !== wide)
  if (wide === undefined || wide.near.length > 0 || rest.length === 0 || most < WIDE) return all
  // What is left is looked at twice.
  if (places.reduce((sum, some) => sum + some, 0) - most > most / 2) return all
  const { touched, relevance, weight } = sumTerms(index, rest)
  const sums = Float64Array.from(touched, (document) => weight * (relevance[document] ?? 0)).sort()
  if (!((sums[sums.length - limit] ?? 0) > wide.weight * MORE)) return all
  const { only, others } = keepOnly(index, wide, touched)
  return { terms: terms.map((term) => (term === wide ? { ...wide, only } : term)), others }
}

/** More than a sum can lose. */
const MORE = 1 + 1e-9

function placesOf(index: SearchIndex, { beginnings: { from, words } }: AskedTerm): number {
  const starts = index.starts(from, from + words.length)
  return (starts[words.length] ?? 0) - (starts[0] ?? 0)
}

const WANTED = 1
const OTHER = 2

/** The postings of these documents, and how many others there are. */
function keepOnly(index: SearchIndex, { beginnings }: AskedTerm, documents: Uint32Array) {
  const marks = new Uint8Array(index.documents)
  for (const document of documents) marks[document] = WANTED
  const { from, words } = beginnings
  const starts = index.starts(from, from + words.length)
  const begin = starts[0] ?? 0
  const all = index.postings(begin, starts[words.length] ?? 0)
  const kept: number[] = []
  const keptStarts = new Uint32Array(words.length + 1)
  let others = 0
  let at = 0
  for (let word = 0; word < words.length; word++) {
    // A damaged file may say anything of where they end.
    const end = Math.min(all.length, (starts[word + 1] ?? 0) - begin)
    if (end > at) others += keepSome(all, at, end, marks, FIELD_BITS, kept)
    at = Math.max(at, end)
    keptStarts[word + 1] = kept.length
  }
  return { only: { starts: keptStarts, postings: Uint32Array.from(kept) }, others }
}

/** How many documents come by for the first time. It runs for all postings, and before V8 has made it quick. */
function keepSome(
  all: Uint32Array,
  from: number,
  to: number,
  marks: Uint8Array,
  bits: number,
  kept: number[],
): number {
  let others = 0
  for (let at = from; at < to; at++) {
    const posting = all[at] ?? 0
    const mark = marks[posting >>> bits]
    if (mark === 0) {
      marks[posting >>> bits] = OTHER
      others++
    } else if (mark === WANTED) kept.push(posting)
  }
  return others
}
