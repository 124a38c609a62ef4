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
export function matchBeginnings({ words, places }: SearchIndex, term: string): WordMatch[] {
  const matches: WordMatch[] = []
  for (let word = firstFrom(words, places, term); word < places.length - 1; word++) {
    const text = wordAt(words, places, word)
    if (!text.startsWith(term)) break
    const closeness = text.length === term.length ? 1 : 0.6 + (0.3 * term.length) / text.length
    matches.push({ word, closeness })
  }
  return matches
}

/** Words a slip or two away: of more letters, two. */
export function matchNearly({ words, places, letters }: SearchIndex, term: string): WordMatch[] {
  const most = term.length < 3 ? 0 : term.length < 6 ? 1 : 2
  if (most === 0) return []
  const wanted = lettersOf(term)
  const matches: WordMatch[] = []
  for (let word = 0; word < letters.length; word++) {
    // Nearly all words are out before they are compared: a slip changes at most two bits. Each step takes one away,
    // and stands here because code that runs once is not made quicker by V8.
    let others = (letters[word] ?? 0) ^ wanted
    others &= others - 1
    others &= others - 1
    if (most === 2) {
      others &= others - 1
      others &= others - 1
    }
    if (others !== 0) continue
    const length = (places[word + 1] ?? 0) - (places[word] ?? 0) - 1
    if (Math.abs(length - term.length) > most) continue
    const distance = editDistance(term, wordAt(words, places, word), most + 1)
    if (distance > 0 && distance <= most) matches.push({ word, closeness: 0.6 / (1 + distance) })
  }
  return matches
}

function wordAt(words: string, places: Uint32Array, word: number): string {
  return words.slice(places[word], (places[word + 1] ?? 1) - 1)
}

/** The first word that is not before the term. */
function firstFrom(words: string, places: Uint32Array, term: string): number {
  let low = 0
  let high = places.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (wordAt(words, places, middle) < term) low = middle + 1
    else high = middle
  }
  return low
}
