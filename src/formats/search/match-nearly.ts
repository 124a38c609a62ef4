import { countSlips } from './count-slips.ts'
import { LENGTH_PARTS, lettersOf } from './lengthwise.ts'
import type { WordMatch } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'

/** Words a slip or two away, in their order: of more letters, two. */
export function matchNearly({ words, lengthwise, starts }: SearchIndex, term: string): WordMatch[] {
  const most = term.length < 3 ? 0 : term.length < 6 ? 1 : 2
  const spans = most === 0 ? [] : spansOf(lengthwise.lengths, words, term.length, most)
  const [first] = spans
  const last = spans.at(-1)
  if (first === undefined || last === undefined) return []
  const letters = lengthwise.letters(first.from, last.to)
  const codes = lengthwise.codes(first.textFrom, last.textFrom + (last.to - last.from) * last.length)
  const slipsIn = countSlips(term, most)
  const found: { readonly place: number; readonly slips: number }[] = []
  for (const span of spans) {
    for (const place of likelyPlaces(letters, span, first.from, lettersOf(term), term.length, most)) {
      const begin = span.textFrom - first.textFrom + (place - span.from) * span.length
      const slips = slipsIn(codes, begin, begin + span.length)
      if (slips > 0 && slips <= most) found.push({ place, slips })
    }
  }
  if (found.length === 0) return []
  const numbers = lengthwise.numbers(first.from, last.to)
  return found
    .map(({ place, slips }) => {
      const word = numbers[place - first.from] ?? 0
      const [begin = 0, end = 0] = starts(word, word + 1)
      return { word, closeness: 0.6 / (1 + slips), begin, end }
    })
    .sort((a, b) => a.word - b.word)
}

/** Words of one length. */
interface Span {
  readonly length: number
  readonly from: number
  readonly to: number
  readonly textFrom: number
}

/** The words that are as long as the term, but for the slips. */
function spansOf(lengths: Uint32Array, words: number, asked: number, most: number): Span[] {
  const spans: Span[] = []
  for (let at = 0; at < lengths.length; at += LENGTH_PARTS) {
    const [length = 0, from = 0, textFrom = 0] = lengths.subarray(at, at + LENGTH_PARTS)
    if (Math.abs(length - asked) > most) continue
    // A damaged file may say anything of where the next ones begin.
    const to = Math.min(words, lengths[at + LENGTH_PARTS + 1] ?? words)
    spans.push({ length, from, to, textFrom })
  }
  return spans
}

/**
 * Words with the letters of the term, but for the slips: hardly any word is compared that is not meant. Every word of
 * the length comes by here, in code that runs for the first time: hence as few steps as can be, each of which takes a
 * letter away, and a loop for each number of others.
 */
function likelyPlaces(
  letters: Int32Array,
  { length, from, to }: Span,
  begin: number,
  wanted: number,
  asked: number,
  most: number,
): number[] {
  // A slip adds a letter and takes one away at most, and one that makes the word longer takes none away.
  const mostOthers = Math.min(most, most + length - asked)
  const mostMissing = Math.min(most, most - length + asked)
  const others = ~wanted
  const behind = to - begin
  const likely: number[] = []
  for (let at = from - begin; at < behind; at++) {
    if (mostOthers === 0) while (at < behind && ((letters[at] ?? 0) & others) !== 0) at++
    else if (mostOthers === 1) {
      for (; at < behind; at++) {
        const has = (letters[at] ?? 0) & others
        if ((has & (has - 1)) === 0) break
      }
    } else {
      for (; at < behind; at++) {
        let has = (letters[at] ?? 0) & others
        has &= has - 1
        if ((has & (has - 1)) === 0) break
      }
    }
    let missing = wanted & ~(letters[at] ?? 0)
    for (let left = mostMissing; left > 0; left--) missing &= missing - 1
    if (missing === 0 && at < behind) likely.push(begin + at)
  }
  return likely
}
