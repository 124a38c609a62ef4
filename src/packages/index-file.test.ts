import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OrlaError, type RegistryEntry } from '../model/index.ts'
import type { PartedFile } from '../platform/index.ts'
import { listEntries } from './entry-list.ts'
import { indexFileBytes, readIndexFile } from './index-file.ts'
import { searchIndexes } from './search.ts'

function entry(name: string): RegistryEntry {
  const description = `Does ${name}, große Dinge`
  return { name, description, repository: '/x', keywords: ['größe'], capabilities: [], platforms: [] }
}

/** As if it were a file. */
function fileOf(bytes: Buffer): PartedFile {
  return { size: bytes.length, read: (from, length) => bytes.subarray(from, from + length) }
}

const NAMES = ['z', 'a', 'fs-2', 'fs', 'Zebra', 'fs.more']
const PROBLEMS = [{ line: 3, message: 'is no name' }]
const BYTES = indexFileBytes({
  url: 'https://example.com/größe',
  fetchedAt: '2026-01-31T00:00:00.000Z',
  entries: listEntries(NAMES.map(entry)),
  problems: PROBLEMS,
})

describe('the kept index of a registry', () => {
  it('Q116: gives back what was put in, each entry by its name', () => {
    const kept = readIndexFile(fileOf(BYTES))
    if (kept === undefined || 'isOld' in kept) return expect.fail('not read')
    expect(kept).toMatchObject({ url: 'https://example.com/größe', problems: PROBLEMS })
    expect(kept.entries.all().map(({ name }) => name)).toEqual([...NAMES].sort())
    for (const name of NAMES) expect(kept.entries.find(name)).toEqual(entry(name))
    for (const name of ['', 'f', 'fs-1', 'zz']) expect(kept.entries.find(name)).toBeUndefined()
    expect(listEntries([]).find('a')).toBeUndefined()
  })

  it('Q116: whatever is damaged in it, a search ends, and what cannot be read is told', () => {
    const damage = fc.array(
      fc.tuple(fc.integer({ min: 0, max: BYTES.length - 1 }), fc.integer({ min: 0, max: 255 })),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(damage, (changes) => {
        const bytes = Buffer.from(BYTES)
        for (const [at, value] of changes) bytes[at] = value
        let kept: ReturnType<typeof readIndexFile>
        try {
          kept = readIndexFile(fileOf(bytes))
        } catch {
          return // as good as none
        }
        if (kept === undefined || 'isOld' in kept) return
        try {
          searchIndexes([{ registry: { name: 'main', url: '/r' }, entries: kept.entries }], 'fs größe', {})
        } catch (error) {
          expect(error).toBeInstanceOf(OrlaError)
        }
      }),
    )
  })

  it('Q116: a file that was cut off anywhere is damaged, and one of another version is old', () => {
    for (let length = 0; length < BYTES.length; length += 7) {
      const read = () => readIndexFile(fileOf(BYTES.subarray(0, length)))
      let found: ReturnType<typeof read>
      try {
        found = read()
      } catch {
        continue
      }
      expect(found).toBeUndefined()
    }
    const old = Buffer.from(BYTES.toString('latin1').replace('"v":4', '"v":3'), 'latin1')
    expect(readIndexFile(fileOf(old))).toMatchObject({ isOld: true, fetchedAt: '2026-01-31T00:00:00.000Z' })
  })
})
