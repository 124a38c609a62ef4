import fc from 'fast-check'
import { expect, it } from 'vitest'
import { editDistance } from '../../model/index.ts'
import { findDocuments } from './find-documents.ts'
import { indexToBytes } from './index-bytes.ts'
import { indexFromBytes } from './index-from-bytes.ts'
import { buildSearchIndex, type Searchable } from './search-index.ts'
import { FIELDS, weigh } from './weights.ts'
import { termsOf, wordsOf } from './words.ts'

interface Hit {
  readonly index: number
  readonly document: number
  readonly relevance: number
  readonly capability: number
}

/** What is promised, written down as plainly as can be: every word of every document is looked at. */
function searchPlainly(registries: readonly (readonly Searchable[])[], query: string): Hit[] {
  const all = registries.flat().length
  const vocabularies = registries.map((documents) => vocabularyOf(documents))
  const terms = termsOf(query).map((term) => {
    const plain = vocabularies.map((words) => closeOnes(words, term, beginning))
    const placesOf = (found: typeof plain) =>
      found.flatMap((words, at) => words.map(([word]) => vocabularies[at]?.get(word)?.size ?? 0))
    const count = (found: typeof plain) => placesOf(found).reduce((sum, places) => sum + places, 0)
    const found =
      count(plain) >= 3
        ? plain
        : vocabularies.map((words, at) => [...(plain[at] ?? []), ...closeOnes(words, term, slip)])
    return { found, weight: Math.log(1 + all / Math.max(1, count(found))) }
  })
  const whole = terms.reduce((sum, { weight }) => sum + weight, 0)
  const hits = registries.flatMap((documents, index) =>
    documents.map((document, number) => {
      let [relevance, capability] = [0, 0]
      for (const { found, weight } of terms) {
        let [has, can] = [0, 0]
        // As the words come, and of sums the last bit depends on it: those that begin so first.
        for (const [word, closeness] of found[index] ?? []) {
          const fields = vocabularies[index]?.get(word)?.get(number) ?? 0
          if (fields === 0) continue
          const value = closeness * weigh(fields, Math.min(255, wordsOf(document.name).length))
          has += (1 - has) * value
          if (wordsOf(document.capabilities.join(' ')).includes(word)) can = Math.max(can, closeness)
        }
        relevance += weight * has
        capability += weight * can
      }
      const part = (sum: number) => Math.min(1, sum / whole)
      return { index, document: number, relevance: part(relevance), capability: part(capability) }
    }),
  )
  return hits.filter(({ relevance }) => relevance > 0).sort((a, b) => b.relevance - a.relevance)
}

/** Each word, in order, with the documents that have it and the fields. */
function vocabularyOf(documents: readonly Searchable[]): Map<string, Map<number, number>> {
  const words = new Map<string, Map<number, number>>()
  documents.forEach((document, number) => {
    FIELDS.forEach((field, bit) => {
      for (const word of wordsOf([document[field]].flat().join(' '))) {
        const places = words.get(word) ?? new Map<number, number>()
        words.set(word, places.set(number, (places.get(number) ?? 0) | (1 << bit)))
      }
    })
  })
  return new Map([...words].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function closeOnes(
  words: ReadonlyMap<string, unknown>,
  term: string,
  closeness: (word: string, term: string) => number,
): [string, number][] {
  return [...words.keys()]
    .map((word): [string, number] => [word, closeness(word, term)])
    .filter(([, value]) => value > 0)
}

function beginning(word: string, term: string): number {
  if (!word.startsWith(term)) return 0
  return word === term ? 1 : 0.6 + (0.3 * term.length) / word.length
}

function slip(word: string, term: string): number {
  const most = term.length < 3 ? 0 : term.length < 6 ? 1 : 2
  const distance = editDistance(term, word, most + 1)
  return distance > 0 && distance <= most ? 0.6 / (1 + distance) : 0
}

const WORD = fc.constantFrom(
  ...'pdf pdfs read reader reading red write writer writ file files filesystem fs http https web größe gross 翻訳'.split(
    ' ',
  ),
  ...'weather wether whether 1 12 123 2024'.split(' '),
)
const WORDS = fc.array(WORD, { maxLength: 4 })
const DOCUMENT: fc.Arbitrary<Searchable> = fc.record({
  name: fc.array(WORD, { minLength: 1, maxLength: 3 }).map((words) => words.join('-')),
  description: WORDS.map((words) => words.join(' ')),
  keywords: WORDS,
  capabilities: WORDS.map((words) => words.map((word) => `${word}.do`)),
})
const REGISTRIES = fc.array(fc.array(DOCUMENT, { maxLength: 40 }), { minLength: 1, maxLength: 3 })
const QUERY = fc.oneof(
  WORD,
  WORDS.map((words) => words.join(' ')),
  fc.constantFrom('raed a pdf', 'filesytem', 'wirter', 'p', 'grösse', 'do', 'zzzz', 'the'),
)

/** In memory and out of a file, with a limit and without. */
function expectTheSame(registries: readonly (readonly Searchable[])[], query: string, limit: number): void {
  const built = registries.map((documents) => buildSearchIndex(documents))
  const kept = built.map((index) => {
    const { sizes, bytes } = indexToBytes(index)
    return indexFromBytes((from, length) => bytes.subarray(from, from + length), sizes)
  })
  const expected = searchPlainly(registries, query)
  for (const indexes of [built, kept]) {
    expect(findDocuments(indexes, query)).toEqual({ best: expected, total: expected.length })
    expect(findDocuments(indexes, query, limit)).toEqual({
      best: expected.slice(0, limit),
      total: expected.length,
    })
  }
}

it('Q117: finds the same, in the same order, as looking at every word of everything', () => {
  fc.assert(fc.property(REGISTRIES, QUERY, fc.integer({ min: 1, max: 60 }), expectTheSame), { numRuns: 300 })
})

const LETTERS = ['abcdefgh', 'abc', 'aeiouäöü', 'абвгд', '翻訳語文', '𝒳𝒴𝒵a', '0123456789', 'aé翻1']
const MADE_UP = fc
  .constantFrom(...LETTERS)
  .chain((letters) =>
    fc.string({ unit: fc.constantFrom(...Array.from(letters)), minLength: 1, maxLength: 9 }),
  )
const VOCABULARY = fc.uniqueArray(MADE_UP, { minLength: 1, maxLength: 300, size: 'max' })
const HOSTILE = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\n',
    '\0',
    '\uffff',
    '\ud800',
    '__proto__',
    'constructor',
    'toString',
    '.*',
    '%s',
  ),
  fc.constantFrom('a'.repeat(31), 'ab'.repeat(3_000), 'ä '.repeat(400)),
)

/** A word as someone may have meant to write it: a letter too many, too few, or in the wrong place; or its beginning. */
const SLIP: fc.Arbitrary<(word: string) => string> = fc
  .tuple(fc.nat(9), fc.constantFrom('a', 'e', 'ü', '翻', '1'), fc.nat(4))
  .map(([at, letter, kind]) => (word) => {
    const [before, here, next, rest] = [
      word.slice(0, at),
      word[at] ?? '',
      word[at + 1] ?? '',
      word.slice(at + 2),
    ]
    const slips = [word, `${before}${letter}${here}${next}${rest}`, `${before}${next}${rest}`]
    return [...slips, `${before}${next}${here}${rest}`, before || word][kind] ?? word
  })

it('Q117: the same of any words, whoever asks for them and however they are spelled', () => {
  const places = fc.array(fc.nat(299), { maxLength: 5 })
  const entry = fc.record({ name: fc.nat(299), description: places, keywords: places, capabilities: places })
  const asked = fc.oneof(
    { weight: 4, arbitrary: fc.array(fc.tuple(fc.nat(299), SLIP, SLIP), { maxLength: 4 }) },
    { weight: 1, arbitrary: HOSTILE },
  )
  const registries = fc.array(fc.array(entry, { maxLength: 60, size: 'max' }), { minLength: 1, maxLength: 2 })
  fc.assert(
    fc.property(
      VOCABULARY,
      registries,
      asked,
      fc.integer({ min: 1, max: 30 }),
      (words, all, query, limit) => {
        const word = (place: number) => words[place % words.length] ?? ''
        const documents = all.map((entries) =>
          entries.map(({ name, description, keywords, capabilities }, number) => ({
            name: `${word(name)}-${number}`,
            description: description.map(word).join(' '),
            keywords: keywords.map(word),
            capabilities: capabilities.map(word),
          })),
        )
        const text =
          typeof query === 'string'
            ? query
            : query.map(([place, slip, another]) => another(slip(word(place)))).join(' ')
        expectTheSame(documents, text, limit)
      },
    ),
    { numRuns: 400 },
  )
})

it('Q117: the same of words that are nearly everywhere beside words that are in few', () => {
  const stems = ['stand', 'start', 'stop', 'state', 'stern', 'stew', 'stay', 'stem', 'step', 'tea', 'top']
  const rare = ['invoice', 'weather', 'picture', 'größe']
  const chance = fc.integer({ min: 0, max: 2 ** 31 - 1 }).map((seed) => {
    let state = seed
    return (below: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * below)
    }
  })
  const query = fc.constantFrom(
    'st invoice',
    'wethar st',
    'st wethar',
    'invoice t st',
    'st t',
    'größe stan weather',
    'st',
  )
  fc.assert(
    fc.property(
      chance,
      query,
      // Fewer and more than are known beforehand.
      fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 13, max: 120 })),
      fc.constantFrom(0, 10, 60, 400),
      (pick, asked, limit, often) => {
        const common = () => `${stems[pick(stems.length)]}${pick(40)}`
        const words = () => (pick(1_000) < often ? [common(), rare[pick(rare.length)] ?? ''] : [common()])
        const documents = Array.from({ length: 700 }, (_, number) => ({
          name: `${words().join('-')}-${number}`,
          description: [...words(), ...words(), common()].join(' '),
          keywords: words(),
          capabilities: pick(20) === 0 ? words() : [],
        }))
        expectTheSame([documents, documents.slice(0, 5)], asked, limit)
      },
    ),
    { numRuns: 50 },
  )
})

it('Q117: what is nearly everywhere still comes first where it says more than the others', () => {
  const documents = Array.from({ length: 1_100 }, (_, number) => ({
    name: number >= 500 && number < 520 ? 'stop' : 'x',
    description: `standingeverywhere${number < 300 ? ' weather' : ''}`,
    keywords: [],
    capabilities: [],
  }))
  expect(searchPlainly([documents], 'st wethar')[0]?.document).toBe(500)
  expectTheSame([documents], 'st wethar', 5)
})

it('Q117: of what begins very many words the best are known before anyone asks', () => {
  const documents = Array.from({ length: 1_500 }, (_, number) => ({
    name: `${number % 20 === 0 ? 'stop' : 'x'}-${number}`,
    description: `stand${number % 7} ${number % 3 === 0 ? 'start' : 'nothing'} weather`,
    keywords: number % 30 === 0 ? ['steam'] : [],
    capabilities: number % 40 === 0 ? ['stem'] : [],
  }))
  const { sizes, bytes } = indexToBytes(buildSearchIndex(documents))
  const index = indexFromBytes((from, length) => bytes.subarray(from, from + length), sizes)
  const known = index.wide('st') ?? expect.fail()
  const expected = searchPlainly([documents], 'st')
  expect(known.documents).toBe(expected.length)
  expect(known.best.length).toBeGreaterThanOrEqual(64)
  const best = expected.slice(0, known.best.length).map(({ document }) => document)
  expect([...known.best]).toEqual(best.sort((a, b) => a - b))
  // All have as much of it: none are the best.
  expect(index.wide('weather')).toBeUndefined()
  for (const query of ['st', 'sta', 'stand3', 'st weather', 'stop st', 'steam st nothing'])
    for (const limit of [1, 50, known.best.length, known.best.length + 1, 200])
      expectTheSame([documents], query, limit)
})

it('Q117: what means more in one place than in another does so by more than a sum can lose', () => {
  const values = Array.from({ length: 15 * 256 }, (_, at) => weigh((at % 15) + 1, Math.floor(at / 15)))
  const sorted = [...new Set(values)].sort((a, b) => a - b)
  const steps = sorted.slice(1).map((value, at) => value - (sorted[at] ?? 0))
  expect(Math.min(...steps)).toBeGreaterThan(1e-8)
})
