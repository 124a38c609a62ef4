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
  const terms = termsOf(query)
  const sums = indexes.map(({ documents }) => ({
    relevance: new Float64Array(documents),
    capability: new Float64Array(documents),
  }))
  const all = indexes.reduce((sum, { documents }) => sum + documents, 0)
  let whole = 0
  for (const term of terms) {
    const scores = scoresOf(indexes, term)
    const found = scores.reduce((sum, { count }) => sum + count, 0)
    // What few have tells more than what many have.
    const weight = Math.log(1 + all / Math.max(1, found))
    whole += weight
    scores.forEach(({ relevance, capability }, at) => {
      const sum = sums[at]
      if (sum === undefined) return
      add(sum.relevance, relevance, weight)
      add(sum.capability, capability, weight)
    })
  }
  const hits: FoundDocument[] = []
  sums.forEach(({ relevance, capability }, index) => {
    relevance.forEach((value, document) => {
      if (value === 0) return
      hits.push({
        index,
        document,
        relevance: Math.min(1, value / whole),
        capability: Math.min(1, (capability[document] ?? 0) / whole),
      })
    })
  })
  return hits.sort((a, b) => b.relevance - a.relevance)
}

interface Scores {
  readonly relevance: Float64Array
  readonly capability: Float64Array
  readonly count: number
}

function scoresOf(indexes: readonly SearchIndex[], term: string): Scores[] {
  const plain = indexes.map((index) => matchBeginnings(index, term))
  const found = plain.reduce((sum, matches, at) => sum + countOf(indexes[at], matches), 0)
  return indexes.map((index, at) => {
    const matches = plain[at] ?? []
    return scoreTerm(index, found < FEW ? [...matches, ...matchNearly(index, term)] : matches)
  })
}

function countOf(index: SearchIndex | undefined, matches: readonly WordMatch[]): number {
  if (index === undefined) return 0
  const { starts } = index
  return matches.reduce((sum, { word }) => sum + (starts[word + 1] ?? 0) - (starts[word] ?? 0), 0)
}

/** Of one term: how well each document has it. Several places together count more than the best of them. */
function scoreTerm(index: SearchIndex, matches: readonly WordMatch[]): Scores {
  const { documents, starts, postings, nameLengths } = index
  const relevance = new Float64Array(documents)
  const capability = new Float64Array(documents)
  let count = 0
  for (const { word, closeness } of matches) {
    for (let at = starts[word] ?? 0; at < (starts[word + 1] ?? 0); at++) {
      const posting = postings[at] ?? 0
      const document = posting >>> FIELD_BITS
      const before = relevance[document] ?? 0
      if (before === 0) count++
      const value = closeness * weigh(posting, nameLengths[document] ?? 1)
      relevance[document] = before + (1 - before) * value
      if ((posting & CAPABILITIES) !== 0)
        capability[document] = Math.max(capability[document] ?? 0, closeness)
    }
  }
  return { relevance, capability, count }
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

function add(sum: Float64Array, values: Float64Array, weight: number): void {
  for (let at = 0; at < values.length; at++) sum[at] = (sum[at] ?? 0) + weight * (values[at] ?? 0)
}
