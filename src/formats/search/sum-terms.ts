import { type Beginnings, closenessOf, type WordMatch } from './match-words.ts'
import type { SearchIndex } from './search-index.ts'
import { CAPABILITIES, FIELD_BITS, NAME, weigh } from './weights.ts'

/** A word that was looked for, as an index has it. */
export interface AskedTerm {
  readonly weight: number
  /** How many letters it has. */
  readonly length: number
  readonly beginnings: Beginnings
  readonly near: readonly WordMatch[]
  /** The postings of its beginnings that are to be looked at, where those are not all. */
  readonly only?: Postings
}

/** Those of words that stand together, and where those of each begin. */
interface Postings {
  readonly starts: Uint32Array
  readonly postings: Uint32Array
}

/** What the documents of one index have. Numbers of documents that are not in it mean nothing. */
interface Sheet {
  readonly relevance: Float64Array
  readonly capability: Float64Array
  /** Whether a document is in it, and whether by its capabilities, too. */
  readonly marks: Uint8Array
  /** The documents in it, the first `count` of it. */
  readonly touched: Uint32Array
  count: number
  /** Whether any is in it by its capabilities. */
  isCapable: boolean
}

const IN = 1
const CAPABLE = 2

function createSheet(documents: number): Sheet {
  return {
    relevance: new Float64Array(documents),
    capability: new Float64Array(documents),
    marks: new Uint8Array(documents),
    touched: new Uint32Array(documents),
    count: 0,
    isCapable: false,
  }
}

interface Sums extends Pick<Sheet, 'relevance' | 'capability' | 'touched'> {
  /** What all of it is yet to be multiplied by. */
  readonly weight: number
}

/** What the documents have of all terms, and which have any, in their order. */
export function sumTerms(index: SearchIndex, terms: readonly AskedTerm[]): Sums {
  const one = createSheet(index.documents)
  const [only, ...others] = terms
  if (only !== undefined && others.length === 0) {
    for (const words of wordsOf(only)) addWords(index, words, one, IN_A_TERM)
    return inOrder(one, only.weight)
  }
  const sums = createSheet(index.documents)
  for (const term of terms) {
    const found = wordsOf(term)
    const [words, ...more] = found
    // Of one word alone no document has two.
    if (words?.closenesses.length === 1 && more.length === 0)
      addWords(index, words, sums, { weight: term.weight, overlap: 0 })
    else {
      for (const some of found) addWords(index, some, one, IN_A_TERM)
      moveTerm(one, term.weight, sums)
    }
  }
  return inOrder(sums, 1)
}

function inOrder({ relevance, capability, touched, count }: Sheet, weight: number): Sums {
  return { relevance, capability, weight, touched: touched.subarray(0, count).sort() }
}

/** Words that stand together, and how close each of them is. */
interface FoundWords extends Pick<AskedTerm, 'only'> {
  readonly from: number
  readonly closenesses: readonly number[]
}

function wordsOf({ length: asked, beginnings: { from, words }, near, only }: AskedTerm): FoundWords[] {
  const known: number[] = []
  const closenesses: number[] = []
  for (const { length } of words) {
    known[length] ??= closenessOf(length, asked)
    closenesses.push(known[length])
  }
  const slips = near.map(({ word, closeness }) => ({ from: word, closenesses: [closeness] }))
  return words.length > 0 ? [{ from, closenesses, ...(only && { only }) }, ...slips] : slips
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
  { from, closenesses, only }: FoundWords,
  sheet: Sheet,
  { weight, overlap }: Adding,
): void {
  const { relevance, marks, touched } = sheet
  // Taken once: what comes from another file is asked for anew at each use.
  const [bits, allFields, inName, capable] = [FIELD_BITS, (1 << FIELD_BITS) - 1, NAME, CAPABILITIES]
  const starts = only?.starts ?? index.starts(from, from + closenesses.length)
  const begin = starts[0] ?? 0
  const all = only?.postings ?? index.postings(begin, starts[closenesses.length] ?? 0)
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
      const mark = marks[document]
      // A damaged file may say anything.
      if (mark === undefined) continue
      // Those that mean as much stand together, and only in a name it matters how long that is.
      if ((posting & allFields) !== fields || (fields & inName) !== 0) {
        fields = posting & allFields
        value = weight * (closeness * meaningOf(fields, nameLengths[document] ?? 1))
      }
      if (mark === 0) {
        touched[count++] = document
        marks[document] = IN
        relevance[document] = value
      } else {
        const before = relevance[document] ?? 0
        relevance[document] = before + (1 - before * overlap) * value
      }
      if ((fields & capable) !== 0) addCapability(sheet, document, closeness, { weight, overlap })
    }
  }
  sheet.count = count
}

function addCapability(sheet: Sheet, document: number, closeness: number, { weight, overlap }: Adding): void {
  const { capability, marks } = sheet
  const before = marks[document] === IN ? 0 : (capability[document] ?? 0)
  capability[document] = overlap === 1 ? Math.max(before, closeness) : before + weight * closeness
  marks[document] = IN | CAPABLE
  sheet.isCapable = true
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
  const { touched, marks, relevance, capability } = one
  const { touched: allTouched, marks: allMarks, relevance: sum, capability: capabilities } = sums
  let { count } = sums
  for (let at = 0; at < one.count; at++) {
    const document = touched[at] ?? 0
    if (allMarks[document] === 0) {
      allTouched[count++] = document
      allMarks[document] = IN
      sum[document] = weight * (relevance[document] ?? 0)
    } else sum[document] = (sum[document] ?? 0) + weight * (relevance[document] ?? 0)
  }
  for (let at = 0; one.isCapable && at < one.count; at++) {
    const document = touched[at] ?? 0
    if (marks[document] === IN) continue
    capabilities[document] = (capabilities[document] ?? 0) + weight * (capability[document] ?? 0)
    allMarks[document] = IN | CAPABLE
  }
  sums.count = count
  one.count = 0
  one.isCapable = false
  marks.fill(0)
}
