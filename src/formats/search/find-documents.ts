import { matchNearly } from './match-nearly.ts'
import { matchBeginnings, NO_BEGINNINGS } from './match-words.ts'
import { type FoundDocument, scoreDocuments } from './score-documents.ts'
import type { SearchIndex } from './search-index.ts'
import { type AskedTerm, placesOf } from './sum-terms.ts'
import { termsOf } from './words.ts'

export interface FoundDocuments {
  /** As many as were asked for. The best first; of equal ones those of the first index, then in their order there. */
  readonly best: readonly FoundDocument[]
  /** How many there are. */
  readonly total: number
}

/** When a word is found in fewer documents, words that are spelled nearly so may be what was meant. */
const FEW = 3

export function findDocuments(
  indexes: readonly SearchIndex[],
  query: string,
  limit = Number.POSITIVE_INFINITY,
): FoundDocuments {
  const all = indexes.reduce((sum, { documents }) => sum + documents, 0)
  const terms = termsOf(query).map((term) => {
    const { matches, count } = matchTerm(indexes, term)
    // What few have tells more than what many have.
    return { term, matches, weight: Math.log(1 + all / Math.max(1, count)) }
  })
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  const found = indexes.map((index, number) => {
    const asked = terms.map(({ term, matches, weight }) => ({
      term,
      weight,
      ...(matches[number] ?? NO_MATCHES),
    }))
    return scoreDocuments(index, number, asked, whole, limit)
  })
  const total = found.reduce((sum, { count }) => sum + count, 0)
  const [first, ...others] = found.map(({ best }) => best)
  if (first === undefined || others.length === 0) return { best: first ?? [], total }
  const best = first.concat(...others).sort((a, b) => b.relevance - a.relevance)
  return { best: best.slice(0, limit), total }
}

type Matches = Pick<AskedTerm, 'beginnings' | 'near'>

const NO_MATCHES: Matches = { beginnings: NO_BEGINNINGS, near: [] }

interface Matched {
  /** By index. */
  readonly matches: readonly Matches[]
  /** In how many places, nearly the number of documents. */
  readonly count: number
}

function matchTerm(indexes: readonly SearchIndex[], term: string): Matched {
  const plain = indexes.map((index) => ({ beginnings: matchBeginnings(index, term), near: [] }))
  const count = countOf(plain)
  if (count >= FEW) return { matches: plain, count }
  const more = indexes.map((index, at) => ({
    ...(plain[at] ?? NO_MATCHES),
    near: matchNearly(index, term),
  }))
  return { matches: more, count: countOf(more) }
}

function countOf(matches: readonly Matches[]): number {
  return matches.reduce((sum, match) => sum + placesOf(match), 0)
}
