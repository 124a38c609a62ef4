import type { SearchIndex } from './search-index.ts'
import { type AskedTerm, placesOf, sumTerms } from './sum-terms.ts'
import { FIELD_BITS } from './weights.ts'
import { wideOf } from './wide-terms.ts'

interface Narrowed {
  readonly terms: readonly AskedTerm[]
  /** Documents that have only what was left out: none of them can be among the best. */
  readonly others: number
}

/**
 * A term that is nearly everywhere, as two letters are that many words begin with, says little beside the others. It has
 * to be looked at only in the documents that have one of the others, and in those that have most of it, as soon as these
 * are enough: whatever is left then has less of everything.
 */
export function narrowTerms(index: SearchIndex, terms: readonly AskedTerm[], limit: number): Narrowed {
  const all = { terms, others: 0 }
  const places = terms.map(placesOf)
  const most = Math.max(...places)
  const wide = terms[places.indexOf(most)]
  if (wide === undefined || terms.length < 2) return all
  // What is left is looked at twice.
  if (places.reduce((sum, some) => sum + some, 0) - most > most / 2) return all
  const known = wideOf(index, wide)
  if (known === undefined) return all
  const isWanted = new Uint8Array(index.documents)
  for (const document of known.best) isWanted[document] = 1
  const rest = terms.filter((term) => term !== wide)
  const enough = known.best.length + addWanted(index, rest, wide, isWanted)
  if (enough < limit) return all
  const { term, count } = keepWanted(index, wide, isWanted)
  return { terms: terms.map((one) => (one === wide ? term : one)), others: known.documents - count }
}

/** More than a sum can lose. */
const MORE = 1 + 1e-9

/** Those that have any of the terms are wanted, too. How many came to it that have more than the wide one could give. */
function addWanted(
  index: SearchIndex,
  terms: readonly AskedTerm[],
  wide: AskedTerm,
  isWanted: Uint8Array,
): number {
  const { touched, places, relevance, weight } = sumTerms(index, terms)
  let more = 0
  for (const document of touched) {
    if (isWanted[document] === 1) continue
    isWanted[document] = 1
    if (weight * (relevance[places[document] ?? 0] ?? 0) > wide.weight * MORE) more++
  }
  return more
}

/** The term in the documents that are wanted, and how many of them have it. */
function keepWanted(index: SearchIndex, term: AskedTerm, isWanted: Uint8Array) {
  const { words, starts } = term.beginnings
  const begin = starts[0] ?? 0
  const all = index.postings(begin, starts[words.length] ?? 0)
  const kept: number[] = []
  const keptWords: string[] = []
  const keptStarts = [0]
  let word = -1
  let end = 0
  for (const at of wantedPlaces(all, isWanted, FIELD_BITS)) {
    if (at >= end) {
      if (kept.length > 0) keptStarts.push(kept.length)
      // A damaged file may say anything of where they end.
      for (; at >= end && word < words.length; end = (starts[word + 1] ?? 0) - begin) word++
      keptWords.push(words[word] ?? '')
    }
    kept.push(all[at] ?? 0)
  }
  keptStarts.push(kept.length)
  const beginnings = { from: 0, words: keptWords, starts: Uint32Array.from(keptStarts) }
  const count = new Set(kept.map((posting) => posting >>> FIELD_BITS)).size
  return { term: { ...term, beginnings, postings: Uint32Array.from(kept) }, count }
}

/** It runs for all postings, and before V8 has made it quick. */
function wantedPlaces(all: Uint32Array, isWanted: Uint8Array, bits: number): number[] {
  const places: number[] = []
  for (let at = 0; at < all.length; at++) if (isWanted[(all[at] ?? 0) >>> bits] === 1) places.push(at)
  return places
}
