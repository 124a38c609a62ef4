import { editDistance } from '../../model/index.ts'
import { lettersOf, type SearchIndex } from './search-index.ts'

/** A word of an index that is what was looked for, begins with it, or is spelled nearly so. */
export interface WordMatch {
  /** Its number in the index. */
  readonly word: number
  /** From 0 to 1. */
  readonly closeness: number
}

/** The word itself and those that begin with it. They stand together, because words are sorted. */
export function matchBeginnings(index: SearchIndex, term: string): WordMatch[] {
  const matches: WordMatch[] = []
  for (let word = firstFrom(index, term); word < index.places.length - 1; word++) {
    const text = wordAt(index, word)
    if (!text.startsWith(term)) break
    const closeness = text.length === term.length ? 1 : 0.6 + (0.3 * term.length) / text.length
    matches.push({ word, closeness })
  }
  return matches
}

/** Words a slip or two away: of more letters, two. */
export function matchNearly(index: SearchIndex, term: string): WordMatch[] {
  const most = term.length < 3 ? 0 : term.length < 6 ? 1 : 2
  if (most === 0) return []
  const { places, letters } = index
  const wanted = lettersOf(term)
  const matches: WordMatch[] = []
  for (let word = 0; word < letters.length; word++) {
    // Nearly all words are out before they are compared.
    if (bitsOf((letters[word] ?? 0) ^ wanted) > 2 * most) continue
    const length = (places[word + 1] ?? 0) - (places[word] ?? 0) - 1
    if (Math.abs(length - term.length) > most) continue
    const distance = editDistance(term, wordAt(index, word), most + 1)
    if (distance > 0 && distance <= most) matches.push({ word, closeness: 0.6 / (1 + distance) })
  }
  return matches
}

function wordAt({ words, places }: SearchIndex, word: number): string {
  return words.slice(places[word], (places[word + 1] ?? 1) - 1)
}

/** The first word that is not before the term. */
function firstFrom(index: SearchIndex, term: string): number {
  let low = 0
  let high = index.places.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (wordAt(index, middle) < term) low = middle + 1
    else high = middle
  }
  return low
}

/** How many bits are set: in pairs, then fours, then bytes. */
function bitsOf(set: number): number {
  const pairs = set - ((set >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
