import { countSlips } from './count-slips.ts'
import { lettersOf, type SearchIndex } from './search-index.ts'

/** A word of an index that is what was looked for, begins with it, or is spelled nearly so. */
export interface WordMatch {
  /** Its number in the index. */
  readonly word: number
  /** From 0 to 1. */
  readonly closeness: number
}

/** Words that begin with a term. They stand together, because words are sorted. */
export interface Beginnings {
  readonly from: number
  readonly to: number
}

/** The word itself and those that begin with it. */
export function matchBeginnings({ words, places }: SearchIndex, term: string): Beginnings {
  const from = firstFrom(words, places, term, 0)
  return { from, to: firstFrom(words, places, `${term}${BEHIND_ALL}`, from) }
}

/** No letter or digit, and behind all of them. */
const BEHIND_ALL = '\uffff'

/** How close a word of so many letters is to one of `asked` letters that it begins with. */
export function closenessOf(length: number, asked: number): number {
  return length === asked ? 1 : 0.6 + (0.3 * asked) / length
}

/** Words a slip or two away, in their order: of more letters, two. */
export function matchNearly(index: SearchIndex, term: string): WordMatch[] {
  const most = term.length < 3 ? 0 : term.length < 6 ? 1 : 2
  if (most === 0) return []
  const { words, places } = index
  const slipsIn = countSlips(term, most)
  const matches: WordMatch[] = []
  for (const word of likelyWords(index, term, most)) {
    const from = places[word] ?? 0
    const length = lengthOf(places, word)
    // A damaged file may say anything.
    if (length > term.length + most) continue
    const slips = slipsIn(words, from, from + length)
    if (slips > 0 && slips <= most) matches.push({ word, closeness: 0.6 / (1 + slips) })
  }
  return matches.sort((a, b) => a.word - b.word)
}

/**
 * Words as long as the term but for the slips, with the letters it has but for the slips. Few have, so that hardly any
 * word is compared that is not meant.
 */
function likelyWords({ places, byLength, letters }: SearchIndex, term: string, most: number): number[] {
  const likely: number[] = []
  const wanted = lettersOf(term)
  const lengthAt = (place: number) => lengthOf(places, byLength[place] ?? 0)
  let from = firstPlace(byLength.length, (place) => lengthAt(place) >= term.length - most)
  for (let more = -most; more <= most; more++) {
    const to = firstPlace(byLength.length, (place) => lengthAt(place) > term.length + more)
    // A slip adds a letter and takes one away at most, and one that only adds takes none away.
    const mostOthers = Math.min(most, most + more)
    const mostMissing = Math.min(most, most - more)
    for (let place = from; place < to; place++) {
      const has = letters[place] ?? 0
      // Each step takes one away. They stand here because code that runs once is not made quicker by V8.
      let others = has & ~wanted
      if (mostOthers > 0) others &= others - 1
      if (mostOthers > 1) others &= others - 1
      if (others !== 0) continue
      let missing = wanted & ~has
      if (mostMissing > 0) missing &= missing - 1
      if (mostMissing > 1) missing &= missing - 1
      if (missing === 0) likely.push(byLength[place] ?? 0)
    }
    from = to
  }
  return likely
}

export function lengthOf(places: Uint32Array, word: number): number {
  return (places[word + 1] ?? 0) - (places[word] ?? 0) - 1
}

function wordAt(words: string, places: Uint32Array, word: number): string {
  return words.slice(places[word], (places[word + 1] ?? 1) - 1)
}

/** The first word that is not before the term, from some word on. */
function firstFrom(words: string, places: Uint32Array, term: string, from: number): number {
  return firstPlace(places.length - 1, (word) => wordAt(words, places, word) >= term, from)
}

/** The first place where something is so, if it is so at all later ones. */
function firstPlace(end: number, isSo: (place: number) => boolean, from = 0): number {
  let low = from
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}
