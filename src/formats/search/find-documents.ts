import { matchBeginnings, matchNearly, type WordMatch } from './match-words.ts'
import { type FoundDocument, scoreDocuments } from './score-documents.ts'
import type { SearchIndex } from './search-index.ts'
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
    return { matches, weight: Math.log(1 + all / Math.max(1, count)) }
  })
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  const found = indexes.map((index, number) => {
    const asked = terms.map(({ matches, weight }) => ({ weight, words: matches[number] ?? [] }))
    return scoreDocuments(index, number, asked, whole, limit)
  })
  const total = found.reduce((sum, { count }) => sum + count, 0)
  const [first, ...others] = found.map(({ best }) => best)
  if (first === undefined || others.length === 0) return { best: first ?? [], total }
  const best = first.concat(...others).sort((a, b) => b.relevance - a.relevance)
  return { best: best.slice(0, limit), total }
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
