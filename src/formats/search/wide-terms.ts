import { matchBeginnings } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'
import { type AskedTerm, placesOf, sumTerms } from './sum-terms.ts'

/** A term that so many words begin with that to look at all their places for each question would take long. */
export interface WideTerm {
  /** How many documents have it. */
  readonly documents: number
  /** Those that have more of it than any other, in their order. */
  readonly best: Uint32Array
  /** What each of these has of it. */
  readonly relevance: Float64Array
  readonly capability: Float64Array
}

/** Fewer places are looked at as quickly as it is found out that they need not be. */
const WIDE = 1_000
/** Of more documents it is a part of them: an index is not to be larger for this than for all else. */
const WIDE_SHARE = 0.1
/** Who asks for one letter does not look for anything. */
const SHORTEST = 2
const LONGEST = 24
/** More than are shown unless someone asks for more, and no more than that needs. */
const ENOUGH = 64
const MOST = 512
/** More than a sum can lose. */
const CLEARLY = 1 - 1e-9

/** What an index knows of a term; undefined when it is not in so many places. */
export function wideOf(index: SearchIndex, asked: AskedTerm): WideTerm | undefined {
  return placesOf(asked) < WIDE ? undefined : index.wide(asked.term)
}

/** All of them, in the order of the terms. */
export function findWideTerms(index: SearchIndex): (WideTerm & { readonly term: string })[] {
  const words = index.wordsOf(0, index.heads.length)
  const starts = index.starts(0, words.length)
  const least = Math.max(WIDE, WIDE_SHARE * index.documents)
  const found: (WideTerm & { readonly term: string })[] = []
  const look = (from: number, to: number, length: number): void => {
    if (length > LONGEST || (starts[to] ?? 0) - (starts[from] ?? 0) < least) return
    const term = words[from]?.slice(0, length) ?? ''
    if (length >= SHORTEST) found.push(...measure(index, term))
    // The term itself comes first, and nothing follows it.
    for (let begin = words[from] === term ? from + 1 : from; begin < to; ) {
      const longer = words[begin]?.slice(0, length + 1) ?? ''
      let end = begin + 1
      while (end < to && words[end]?.startsWith(longer)) end++
      look(begin, end, length + 1)
      begin = end
    }
  }
  look(0, words.length, 0)
  return found
}

/** None where too many have as much as the others. */
function measure(index: SearchIndex, term: string): (WideTerm & { readonly term: string })[] {
  const asked = { term, weight: 1, beginnings: matchBeginnings(index, term), near: [] }
  const { touched, places, relevance, capability } = sumTerms(index, [asked])
  const relevanceOf = (document: number) => relevance[places[document] ?? 0] ?? 0
  const sorted = Float64Array.from(touched, relevanceOf).sort().reverse()
  for (let count = ENOUGH; count <= Math.min(MOST, sorted.length); count++) {
    const last = sorted[count - 1] ?? 0
    if ((sorted[count] ?? 0) >= CLEARLY * last) continue
    const best = touched.filter((document) => relevanceOf(document) >= last)
    return [
      {
        term,
        documents: touched.length,
        best,
        relevance: Float64Array.from(best, relevanceOf),
        capability: Float64Array.from(best, (document) => capability[places[document] ?? 0] ?? 0),
      },
    ]
  }
  return []
}
