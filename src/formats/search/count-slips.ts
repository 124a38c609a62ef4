import { editDistance } from '../../model/index.ts'
import type { Codes } from './lengthwise.ts'

/** More letters than bits would be needed for than a number has. */
const MOST_LETTERS = 30
const PLAIN = 128

/**
 * How many slips are between a term and a word, whose letters stand from one place to another; some number above
 * `most` when there are more. The same as `editDistance`, for a term that is compared with many words by code that
 * runs for the first time: a column of its table lies in the bits of two numbers, which say where it rises and falls
 * (Hyyrö 2003, with letters that changed places).
 */
export function countSlips(term: string, most: number): (codes: Codes, from: number, to: number) => number {
  if (term.length > MOST_LETTERS)
    return (codes, from, to) => {
      const letters = Array.from(codes.subarray(from, to), (code) => String.fromCharCode(code))
      return editDistance(term, letters.join(''), most + 1)
    }
  const { plain, others } = placesOfLetters(term)
  const last = 1 << (term.length - 1)
  return (codes, from, to) => {
    let rises = -1
    let falls = 0
    let straight = 0
    let before = 0
    let distance = term.length
    for (let at = from; at < to; at++) {
      const code = codes[at] ?? 0
      const same = code < PLAIN ? (plain[code] ?? 0) : (others.get(code) ?? 0)
      const swapped = ((~straight & same) << 1) & before
      straight = (((same & rises) + rises) ^ rises) | same | falls | swapped
      const up = falls | ~(straight | rises)
      const down = straight & rises
      if ((up & last) !== 0) distance++
      else if ((down & last) !== 0) distance--
      // Every letter that is left brings it down by one at most.
      if (distance - (to - at) >= most) return most + 1
      const shifted = (up << 1) | 1
      rises = (down << 1) | ~(straight | shifted)
      falls = shifted & straight
      before = same
    }
    return distance
  }
}

/** Where each letter stands in the term: the bit of each place. */
function placesOfLetters(term: string): { plain: Int32Array; others: Map<number, number> } {
  const plain = new Int32Array(PLAIN)
  const others = new Map<number, number>()
  for (let at = 0; at < term.length; at++) {
    const code = term.charCodeAt(at)
    if (code < PLAIN) plain[code] = (plain[code] ?? 0) | (1 << at)
    else others.set(code, (others.get(code) ?? 0) | (1 << at))
  }
  return { plain, others }
}
