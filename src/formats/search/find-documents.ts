import { matchBeginnings, matchNearly, type WordMatch } from './match-words.ts'
import { FIELD_BITS, FIELDS, type SearchIndex } from './search-index.ts'
import { termsOf } from './words.ts'

/** A document in which something of what was looked for stands. */
export interface FoundDocument {
  /** Which of the indexes. */
  readonly index: number
  readonly document: number
  /** How much of what was looked for it has, where it counts: from 0 to 1. */
  readonly relevance: number
  /** How much of it stands in its capabilities: from 0 to 1. */
  readonly capability: number
}

/** Where a word stands says how much it means. In the order of FIELDS. */
const WEIGHTS = [1, 0.8, 0.8, 0.5]
const CAPABILITIES = 1 << FIELDS.indexOf('capabilities')
/** When a word is found in fewer documents, words that are spelled nearly so may be what was meant. */
const FEW = 3

/** The best first; of equal ones those of the first index, then in their order there. */
export function findDocuments(indexes: readonly SearchIndex[], query: string): FoundDocument[] {
  const all = indexes.reduce((sum, { documents }) => sum + documents, 0)
  const sheets = indexes.map(({ documents }) => createSheet(documents))
  let whole = 0
  for (const term of termsOf(query)) {
    const found = matchTerm(indexes, term)
    // What few have tells more than what many have.
    const weight = Math.log(1 + all / Math.max(1, found.count))
    whole += weight
    found.matches.forEach((matches, at) => {
      const [index, sheet] = [indexes[at], sheets[at]]
      if (index !== undefined && sheet !== undefined) addTerm(index, matches, weight, sheet)
    })
  }
  const hits = sheets.flatMap(({ touched, relevance, capability }, index) =>
    touched
      .sort((a, b) => a - b)
      .map((document) => ({
        index,
        document,
        relevance: Math.min(1, (relevance[document] ?? 0) / whole),
        capability: Math.min(1, (capability[document] ?? 0) / whole),
      })),
  )
  return hits.sort((a, b) => b.relevance - a.relevance)
}

interface Matches {
  /** By index. */
  readonly matches: readonly (readonly WordMatch[])[]
  /** In how many places, nearly the number of documents. */
  readonly count: number
}

function matchTerm(indexes: readonly SearchIndex[], term: string): Matches {
  const plain = indexes.map((index) => matchBeginnings(index, term))
  const count = countOf(indexes, plain)
  if (count >= FEW) return { matches: plain, count }
  const more = indexes.map((index, at) => [...(plain[at] ?? []), ...matchNearly(index, term)])
  return { matches: more, count: countOf(indexes, more) }
}

function countOf(indexes: readonly SearchIndex[], matches: Matches['matches']): number {
  let count = 0
  indexes.forEach(({ starts }, at) => {
    for (const { word } of matches[at] ?? []) count += (starts[word + 1] ?? 0) - (starts[word] ?? 0)
  })
  return count
}

/** Sums of the documents of one index. Most are never touched, and cost nothing. */
interface Sheet {
  readonly touched: number[]
  readonly relevance: Float64Array
  readonly capability: Float64Array
}

function createSheet(documents: number): Sheet {
  return { touched: [], relevance: new Float64Array(documents), capability: new Float64Array(documents) }
}

/** How well each document has one term. Several places together count more than the best of them. */
function addTerm(index: SearchIndex, matches: readonly WordMatch[], weight: number, sheet: Sheet): void {
  const { documents, starts, postings, nameLengths } = index
  const { touched, relevance, capability } = createSheet(documents)
  for (const { word, closeness } of matches) {
    // A damaged file may say anything of where it ends.
    const end = Math.min(starts[word + 1] ?? 0, postings.length)
    for (let at = starts[word] ?? 0; at < end; at++) {
      const posting = postings[at] ?? 0
      const document = posting >>> FIELD_BITS
      if (document >= documents) continue
      const before = relevance[document] ?? 0
      if (before === 0) touched.push(document)
      const value = closeness * weigh(posting, nameLengths[document] ?? 1)
      relevance[document] = before + (1 - before) * value
      if ((posting & CAPABILITIES) !== 0)
        capability[document] = Math.max(capability[document] ?? 0, closeness)
    }
  }
  for (const document of touched) {
    const before = sheet.relevance[document] ?? 0
    if (before === 0) sheet.touched.push(document)
    sheet.relevance[document] = before + weight * (relevance[document] ?? 0)
    sheet.capability[document] = (sheet.capability[document] ?? 0) + weight * (capability[document] ?? 0)
  }
}

function weigh(posting: number, nameLength: number): number {
  let missing = 1
  for (let field = 0; field < FIELD_BITS; field++) {
    if ((posting & (1 << field)) === 0) continue
    // Of a name of many words one is not the whole.
    const share = field === 0 ? 0.6 + 0.4 / Math.max(1, nameLength) : 1
    missing *= 1 - (WEIGHTS[field] ?? 0) * share
  }
  return 1 - missing
}
