import { closenessOf, type WordMatch } from './match-words.ts'
import { narrowTerms } from './narrow-terms.ts'
import type { SearchIndex } from './search-index.ts'
import { type AskedTerm, sumTerms } from './sum-terms.ts'
import { CAPABILITIES, FIELD_BITS, weigh } from './weights.ts'
import { type WideTerm, wideOf } from './wide-terms.ts'

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

type Score = (document: number, relevance: number, capability: number) => FoundDocument

interface Scored {
  /** As many as were asked for: the best first, of equal ones the first document. */
  readonly best: FoundDocument[]
  /** How many there are. */
  readonly count: number
}

/** Up to so many are put where they belong one by one; to sort all is quicker than that for more. */
const FEW = 256

/** What an index has of all terms together, which weigh `whole`. */
export function scoreDocuments(
  index: SearchIndex,
  number: number,
  asked: readonly AskedTerm[],
  whole: number,
  limit: number,
): Scored {
  const found = asked.filter(({ beginnings, near }) => beginnings.words.length + near.length > 0)
  const [term, ...terms] = found
  if (term === undefined) return { best: [], count: 0 }
  const score: Score = (document, relevance, capability) => ({
    index: number,
    document,
    relevance: Math.min(1, relevance / whole),
    capability: Math.min(1, capability / whole),
  })
  const word = terms.length === 0 ? onlyWord(term) : undefined
  const scoreOne: Score = (document, relevance, capability) =>
    score(document, term.weight * relevance, term.weight * capability)
  if (word !== undefined) return scoreWord(index, word, limit, scoreOne)
  const wide = terms.length === 0 ? wideOf(index, term) : undefined
  if (wide !== undefined && limit <= wide.best.length)
    return { best: bestOf(wide, limit, scoreOne), count: wide.documents }
  const narrowed = limit > FEW ? { terms: found, others: 0 } : narrowTerms(index, found, limit)
  const { touched, places, relevance, capability, weight } = sumTerms(index, narrowed.terms)
  const relevanceOf = (document: number) => relevance[places[document] ?? 0] ?? 0
  const at = (document: number) =>
    score(document, weight * relevanceOf(document), weight * (capability[places[document] ?? 0] ?? 0))
  if (limit > FEW)
    return {
      best: Array.from(touched, at)
        .sort((a, b) => b.relevance - a.relevance)
        .slice(0, limit),
      count: touched.length,
    }
  const best: FoundDocument[] = []
  let least = 0
  for (let place = 0; place < touched.length; place++) {
    const document = touched[place] ?? 0
    // What has no more than the last of them cannot come before it, whatever both are a part of.
    if (relevanceOf(document) <= least) continue
    insert(best, at(document))
    if (best.length > limit) best.pop()
    const last = best[limit - 1]
    if (last !== undefined) least = relevanceOf(last.document)
  }
  return { best, count: touched.length + narrowed.others }
}

/** Where many words begin with all that was found, those with most of it are known already. */
function bestOf({ best, relevance, capability }: WideTerm, limit: number, score: Score): FoundDocument[] {
  return Array.from(best, (document, at) => score(document, relevance[at] ?? 0, capability[at] ?? 0))
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, limit)
}

type FoundWord = Omit<WordMatch, 'word'>

/** Undefined when there are more. */
function onlyWord({ term, beginnings: { words, starts }, near }: AskedTerm): FoundWord | undefined {
  const [word] = words
  const [begin = 0, end = 0] = starts
  if (words.length + near.length !== 1) return undefined
  return word === undefined ? near[0] : { closeness: closenessOf(word.length, term.length), begin, end }
}

/** Where one word is all that was found, its postings are in order already, and no more of them are read than wanted. */
function scoreWord(
  { documents, nameLengths, postings }: SearchIndex,
  { closeness, begin, end }: FoundWord,
  limit: number,
  score: Score,
): Scored {
  const best: FoundDocument[] = []
  for (const posting of postings(begin, Math.min(end, begin + limit))) {
    const document = posting >>> FIELD_BITS
    // A damaged file may say anything.
    if (document >= documents) continue
    const capability = (posting & CAPABILITIES) === 0 ? 0 : closeness
    best.push(score(document, closeness * weigh(posting, nameLengths[document] ?? 1), capability))
  }
  return { best, count: end - begin }
}

/** Behind all that are as good. */
function insert(best: FoundDocument[], one: FoundDocument): void {
  let low = 0
  let high = best.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((best[middle]?.relevance ?? 0) < one.relevance) high = middle
    else low = middle + 1
  }
  best.splice(low, 0, one)
}
