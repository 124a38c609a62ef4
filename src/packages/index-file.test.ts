import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfIndex, type IndexSizes } from '../formats/index.ts'
import { OrlaError, type RegistryEntry } from '../model/index.ts'
import type { PartedFile } from '../platform/index.ts'
import { placesOfLines } from './entry-lines.ts'
import { type EntryList, listEntries } from './entry-list.ts'
import { indexFileBytes, readIndexFile } from './index-file.ts'
import { searchIndexes } from './search.ts'

function entry(name: string): RegistryEntry {
  const description = `Does ${name}, große Dinge`
  return { name, description, repository: '/x', keywords: ['größe'], capabilities: [], platforms: [] }
}

type File = Pick<PartedFile, 'size' | 'read'>

/** As if it were a file. */
function fileOf(bytes: Buffer): File {
  return { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) }
}

function open(file: File, onDamage = () => {}): ReturnType<typeof readIndexFile> {
  try {
    return readIndexFile(file, onDamage)
  } catch {
    return undefined // as good as none
  }
}

function entriesIn(file: File, onDamage?: () => void): EntryList | undefined {
  const kept = open(file, onDamage)
  return kept === undefined || 'isOld' in kept ? undefined : kept.entries
}

function search(entries: EntryList, query: string, limit?: number) {
  return searchIndexes([{ registry: { name: 'main', url: '/r' }, entries }], query, {}, limit)
}

const NAMES = ['z', 'a', 'fs-2', 'fs', 'Zebra', 'fs.more']
const PROBLEMS = [{ line: 3, message: 'is no name' }]
const HEAD = { url: 'https://example.com/größe', fetchedAt: '2026-01-31T00:00:00.000Z', problems: PROBLEMS }
const BYTES = indexFileBytes({ ...HEAD, entries: listEntries(NAMES.map(entry)) })

describe('the kept index of a registry', () => {
  it('Q116: gives back what was put in, each entry by its name', () => {
    const kept = open(fileOf(BYTES))
    if (kept === undefined || 'isOld' in kept) return expect.fail('not read')
    expect(kept).toMatchObject({ url: 'https://example.com/größe', problems: PROBLEMS })
    expect(kept.entries.all().map(({ name }) => name)).toEqual([...NAMES].sort())
    for (const name of NAMES) expect(kept.entries.find(name)).toEqual(entry(name))
    for (const name of ['', 'f', 'fs-1', 'zz']) expect(kept.entries.find(name)).toBeUndefined()
    expect(listEntries([]).find('a')).toBeUndefined()
    const url = `https://example.com/${'long'.repeat(1_000)}`
    const long = open(fileOf(indexFileBytes({ ...HEAD, url, entries: listEntries([]) })))
    expect(long).toMatchObject({ url, problems: PROBLEMS })
  })

  it('Q116: a search finds in the file what it finds in the entries', () => {
    const word = fc.constantFrom(...'pdf read reader write fs files web größe weather wether 12'.split(' '))
    const words = fc.array(word, { maxLength: 3 })
    const entries = fc.uniqueArray(
      fc.record({
        name: fc.tuple(word, fc.nat(500)).map((parts) => parts.join('-')),
        description: words.map((all) => all.join(' ')),
        repository: fc.string(),
        keywords: words,
        capabilities: words,
        platforms: fc.constant([]),
      }),
      { maxLength: 80, selector: ({ name }) => name },
    )
    fc.assert(
      fc.property(entries, words, fc.integer({ min: 1, max: 100 }), (all, asked, limit) => {
        const listed = listEntries(all)
        const kept = entriesIn(fileOf(indexFileBytes({ ...HEAD, entries: listed })))
        const query = asked.join(' ')
        expect(kept && search(kept, query, limit)).toEqual(search(listed, query, limit))
        expect(kept?.all()).toEqual(listed.all())
      }),
    )
  })

  it('Q116: reads of a large file little more than what is shown', () => {
    const many = Array.from({ length: 5_000 }, (_, at) => entry(`tool-${at}`))
    const { size, read } = fileOf(indexFileBytes({ ...HEAD, entries: listEntries(many) }))
    let bytes = 0
    const counting = (from: number, length: number) => {
      const part = read(from, length)
      bytes += part.length
      return part
    }
    const entries = entriesIn({ size, read: counting })
    expect(bytes).toBeLessThan(5_000)
    expect(entries && search(entries, 'größe', 50)).toMatchObject({ total: 5_000 })
    expect(bytes).toBeLessThan(size / 5)
  })

  it('Q116: whatever is damaged in it, a search ends, and what cannot be read is told', () => {
    const damage = fc.array(
      fc.tuple(fc.integer({ min: 0, max: BYTES.length - 1 }), fc.integer({ min: 0, max: 255 })),
      { minLength: 1, maxLength: 40 },
    )
    const query = fc.constantFrom('fs größe', 'fs', 'does', 'grösse', '')
    fc.assert(
      fc.property(damage, query, (changes, words) => {
        const bytes = Buffer.from(BYTES)
        for (const [at, value] of changes) bytes[at] = value
        let told = 0
        const entries = entriesIn(fileOf(bytes), () => told++)
        if (entries === undefined) return
        try {
          search(entries, words)
          entries.all()
        } catch (error) {
          expect(error).toBeInstanceOf(OrlaError)
          expect(told).toBe(1)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('Q116: a file that was cut off anywhere is damaged, also when that happens later', () => {
    for (let length = 0; length < BYTES.length; length += 7)
      expect(open(fileOf(BYTES.subarray(0, length)))).toBeUndefined()
    let end = BYTES.length
    const read: File['read'] = (from, length) => BYTES.subarray(from, Math.min(end, from + length))
    const entries = entriesIn({ size: BYTES.length, read })
    end = 300
    expect(() => entries && search(entries, 'fs')).toThrow('is damaged')
    expect(() => entries?.at(0)).toThrow('is damaged')
  })

  it('Q116: one of another version is old', () => {
    const old = Buffer.from(BYTES.toString('latin1').replace('"v":7', '"v":6'), 'latin1')
    expect(open(fileOf(old))).toMatchObject({ isOld: true, fetchedAt: '2026-01-31T00:00:00.000Z' })
  })

  it('Q116: whatever sizes it claims, as one that is mostly holes may, nothing without bounds is made of them', () => {
    const begin = BYTES.indexOf('\n') + 1
    const head = JSON.parse(BYTES.toString('utf8', 0, begin)) as {
      sizes: IndexSizes & Record<string, number>
    }
    const claim = fc.constantFrom(-1, 0, 7, 2_000, 2 ** 24, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, 0.5)
    const claims = fc.dictionary(fc.constantFrom(...Object.keys(head.sizes)), claim, { minKeys: 1 })
    fc.assert(
      fc.property(claims, (changed) => {
        const sizes = { ...head.sizes, ...changed }
        const start = Buffer.from(`${JSON.stringify({ ...head, sizes })}\n`)
        const { read } = fileOf(Buffer.concat([start, BYTES.subarray(begin)]))
        const { documents, entryBytes = 0, problemBytes = 0 } = sizes
        const size = start.length + bytesOfIndex(sizes) + placesOfLines(documents) + entryBytes + problemBytes
        let most = 0
        const reading: File['read'] = (from, length) => {
          most = Math.max(most, length)
          return read(from, length)
        }
        const entries = entriesIn({ size, read: reading })
        try {
          if (entries !== undefined) search(entries, 'fs grösse')
        } catch (error) {
          expect(error).toBeInstanceOf(OrlaError)
        }
        expect(most).toBeLessThanOrEqual(256 * 1_048_576)
        expect(entries?.search.documents ?? 0).toBeLessThan(4_000_000)
      }),
    )
  })
})
