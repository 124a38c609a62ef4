import { type Beginnings, closenessOf, type WordMatch } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'
import { CAPABILITIES, FIELD_BITS, NAME, weigh } from './weights.ts'

/** A word that was looked for, as an index has it. */
export interface AskedTerm {
  readonly term: string
  readonly weight: number
  readonly beginnings: Beginnings
  readonly near: readonly WordMatch[]
  /** The postings of its beginnings, where those of the index are too many; `starts` are places in here then. */
  readonly postings?: Uint32Array
}

/** What the documents of one index have, as far as they have anything. */
interface Sheet {
  /** The place of each document in the lists; 0: it is not in them. */
  readonly places: Uint32Array
  /** The documents in it, the first `count` of it. */
  readonly touched: Uint32Array
  /** By place. */
  readonly relevance: Float64Array
  /** By place; empty as long as none is in it by its capabilities. */
  capability: Float64Array
  count: number
}

const NOTHING = new Float64Array(0)

/** With room for as many as can come, because a page of memory that is new takes longer than what is written there. */
function createSheet(documents: number, most: number): Sheet {
  const room = Math.min(documents, most)
  return {
    places: new Uint32Array(documents),
    touched: new Uint32Array(room),
    relevance: new Float64Array(room + 1),
    capability: NOTHING,
    count: 0,
  }
}

interface Sums extends Pick<Sheet, 'places' | 'touched' | 'relevance' | 'capability'> {
  /** What all of it is yet to be multiplied by. */
  readonly weight: number
}

/** What the documents have of all terms, and which have any, in their order. */
export function sumTerms(index: SearchIndex, terms: readonly AskedTerm[]): Sums {
  const { documents } = index
  const counts = terms.map(placesOf)
  let sheet: Sheet | undefined
  const sheetOfOne = () => {
    sheet ??= createSheet(documents, Math.max(...counts))
    return sheet
  }
  const [only, ...others] = terms
  if (only !== undefined && others.length === 0) {
    const one = sheetOfOne()
    for (const words of wordsOf(only)) addWords(index, words, one, IN_A_TERM)
    return inOrder(one, only.weight)
  }
  const sums = createSheet(
    documents,
    counts.reduce((sum, count) => sum + count, 0),
  )
  for (const term of terms) {
    const found = wordsOf(term)
    const [words, ...more] = found
    // Of one word alone no document has two.
    if (words?.closenesses.length === 1 && more.length === 0)
      addWords(index, words, sums, { weight: term.weight, overlap: 0 })
    else {
      const one = sheetOfOne()
      for (const some of found) addWords(index, some, one, IN_A_TERM)
      moveTerm(one, term.weight, sums)
    }
  }
  return inOrder(sums, 1)
}

/** In how many places a term is found: no fewer than documents. */
export function placesOf({ beginnings: { starts }, near }: Pick<AskedTerm, 'beginnings' | 'near'>): number {
  // A damaged file may say anything of where they end.
  const own = Math.max(0, (starts[starts.length - 1] ?? 0) - (starts[0] ?? 0))
  return near.reduce((sum, { begin, end }) => sum + Math.max(0, end - begin), own)
}

function inOrder({ count, touched, ...sheet }: Sheet, weight: number): Sums {
  return { ...sheet, weight, touched: touched.subarray(0, count).sort() }
}

/** Words whose postings stand together, and how close each of them is. */
interface FoundWords extends Pick<AskedTerm, 'postings'> {
  readonly starts: Uint32Array
  readonly closenesses: readonly number[]
}

function wordsOf({ term, beginnings: { words, starts }, near, postings }: AskedTerm): FoundWords[] {
  const known: number[] = []
  const closenesses: number[] = []
  for (const { length } of words) {
    known[length] ??= closenessOf(length, term.length)
    closenesses.push(known[length])
  }
  const slips = near.map(({ begin, end, closeness }) => ({
    starts: Uint32Array.of(begin, end),
    closenesses: [closeness],
  }))
  return words.length > 0 ? [{ starts, closenesses, ...(postings && { postings }) }, ...slips] : slips
}

interface Adding {
  /** What a word is multiplied by. */
  readonly weight: number
  /** 1: several words of a document count more than the best of them, and no more than one that is all; 0: they add up. */
  readonly overlap: 0 | 1
}

const IN_A_TERM: Adding = { weight: 1, overlap: 1 }

/**
 * Puts into a sheet what each document has of words. It runs once, before V8 has made it quick, and to make it so takes
 * longer than that: hence as few steps for a posting as can be, and no new number where one will do.
 */
function addWords(
  index: SearchIndex,
  { starts, closenesses, postings }: FoundWords,
  sheet: Sheet,
  { weight, overlap }: Adding,
): void {
  const { places, relevance, touched } = sheet
  // Taken once: what comes from another file is asked for anew at each use.
  const [bits, allFields, inName, capable] = [FIELD_BITS, (1 << FIELD_BITS) - 1, NAME, CAPABILITIES]
  const begin = starts[0] ?? 0
  const all = postings ?? index.postings(begin, starts[closenesses.length] ?? 0)
  const { nameLengths } = index
  let { count } = sheet
  let end = 0
  for (let word = 0; word < closenesses.length; word++) {
    let at = end
    // A damaged file may say anything of where they end.
    end = Math.min(all.length, Math.max(at, (starts[word + 1] ?? 0) - begin))
    const closeness = closenesses[word] ?? 0
    let fields = 0
    let value = 0
    for (; at < end; at++) {
      const posting = all[at] ?? 0
      const document = posting >>> bits
      const place = places[document]
      // A damaged file may say anything.
      if (place === undefined) continue
      // Those that mean as much stand together, and only in a name it matters how long that is.
      if ((posting & allFields) !== fields || (fields & inName) !== 0) {
        fields = posting & allFields
        value = weight * (closeness * meaningOf(fields, nameLengths[document] ?? 1))
      }
      if (place === 0) {
        touched[count++] = document
        places[document] = count
        relevance[count] = value
      } else {
        const before = relevance[place] ?? 0
        relevance[place] = before + (1 - before * overlap) * value
      }
      if ((fields & capable) !== 0)
        addCapability(sheet, places[document] ?? 0, closeness, { weight, overlap })
    }
  }
  sheet.count = count
}

function addCapability(sheet: Sheet, place: number, closeness: number, { weight, overlap }: Adding): void {
  const capability = capabilityOf(sheet)
  const before = capability[place] ?? 0
  capability[place] = overlap === 1 ? Math.max(before, closeness) : before + weight * closeness
}

function capabilityOf(sheet: Sheet): Float64Array {
  if (sheet.capability.length === 0) sheet.capability = new Float64Array(sheet.relevance.length)
  return sheet.capability
}

const knownMeanings: number[] = []

/** What `weigh` says. */
function meaningOf(fields: number, nameLength: number): number {
  const key = (fields & NAME) === 0 ? fields : (nameLength << FIELD_BITS) | fields
  knownMeanings[key] ??= weigh(fields, nameLength)
  return knownMeanings[key]
}

/** One term is added to the sums; its own sheet is empty again. */
function moveTerm(one: Sheet, weight: number, sums: Sheet): void {
  const { touched, relevance, capability, places: ownPlaces } = one
  const { touched: allTouched, places, relevance: sum } = sums
  let { count } = sums
  for (let at = 0; at < one.count; at++) {
    const document = touched[at] ?? 0
    const place = places[document] ?? 0
    const value = weight * (relevance[at + 1] ?? 0)
    ownPlaces[document] = 0
    if (place === 0) {
      allTouched[count++] = document
      places[document] = count
      sum[count] = value
    } else sum[place] = (sum[place] ?? 0) + value
  }
  sums.count = count
  if (capability.length > 0) {
    const capabilities = capabilityOf(sums)
    for (let at = 0; at < one.count; at++) {
      const place = places[touched[at] ?? 0] ?? 0
      capabilities[place] = (capabilities[place] ?? 0) + weight * (capability[at + 1] ?? 0)
    }
  }
  one.capability = NOTHING
  one.count = 0
}
