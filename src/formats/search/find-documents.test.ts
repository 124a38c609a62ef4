import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findDocuments } from './find-documents.ts'
import { bytesOfIndex, indexToBytes } from './index-bytes.ts'
import { indexFromBytes } from './index-from-bytes.ts'
import { buildSearchIndex, type Searchable } from './search-index.ts'

function tool(name: string, more: Partial<Searchable> = {}): Searchable {
  return { name, description: '', keywords: [], capabilities: [], ...more }
}

const TOOLS = [
  tool('fs', { description: 'Local filesystem access', keywords: ['filesystem', 'files'] }),
  tool('http', { description: 'Requests over the web and to a file server', keywords: ['web'] }),
  tool('pdf-reader', { description: 'Reads the text of a document', capabilities: ['pdf.read'] }),
  tool('pdf-writer', { description: 'Writes a PDF', capabilities: ['pdf.write'] }),
  tool('übersetzer', { description: 'Переводит текст', keywords: ['翻訳'] }),
]

function find(query: string, tools: readonly Searchable[] = TOOLS): string[] {
  return findDocuments([buildSearchIndex(tools)], query).best.map(
    ({ document }) => tools[document]?.name ?? '',
  )
}

describe('findDocuments', () => {
  it('Q117: what has more of the words, and in the better places, comes first', () => {
    expect(find('file')).toEqual(['fs', 'http'])
    expect(find('read a pdf')[0]).toBe('pdf-reader')
    expect(find('write a pdf')[0]).toBe('pdf-writer')
    expect(find('http')[0]).toBe('http')
    expect(find('nothing of this')).toEqual([])
    expect(find('')).toEqual([])
    expect(find('?!')).toEqual([])
  })

  it('Q117: forgives typos where the word itself is not there', () => {
    expect(find('filesytem')[0]).toBe('fs')
    expect(find('wirter')).toEqual(['pdf-writer'])
    expect(find('ubersetzer')).toEqual(['übersetzer'])
    expect(find('zzzzqqq')).toEqual([])
  })

  it('Q117: knows letters of all kinds', () => {
    expect(find('переводит')).toEqual(['übersetzer'])
    expect(find('翻')).toEqual(['übersetzer'])
  })

  it('Q117: several indexes are one', () => {
    const [one, two] = [TOOLS.slice(0, 1), TOOLS.slice(1)].map(buildSearchIndex)
    const hits = findDocuments([one ?? expect.fail(), two ?? expect.fail()], 'file')
    expect(hits.best.map(({ index, document }) => [index, document])).toEqual([
      [0, 0],
      [1, 0],
    ])
  })

  it('Q117: every word of a document finds it, and relevance stays between 0 and 1', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { maxLength: 5 })
    const documents = fc.array(
      fc.record({ name: fc.string(), description: fc.string(), keywords: texts, capabilities: texts }),
      { minLength: 1, maxLength: 20 },
    )
    fc.assert(
      fc.property(documents, fc.string(), (all, query) => {
        const index = buildSearchIndex(all)
        for (const hit of findDocuments([index], query).best) {
          expect(hit.relevance > 0 && hit.relevance <= 1).toBe(true)
          expect(hit.capability >= 0 && hit.capability <= 1).toBe(true)
        }
        for (const word of index.wordsOf(0, index.heads.length)) {
          expect(findDocuments([index], word).total).toBeGreaterThan(0)
        }
        const { sizes, bytes } = indexToBytes(index)
        expect(bytes.length).toBe(bytesOfIndex(sizes))
        const readFrom = (by: number, from: number, length: number) =>
          Buffer.concat([Buffer.alloc(by), bytes]).subarray(by + from, by + from + length)
        const [aligned, shifted] = [0, 1].map((by) =>
          indexFromBytes((from, length) => readFrom(by, from, length), sizes),
        )
        expect(findDocuments([aligned ?? index], query)).toEqual(findDocuments([index], query))
        expect(findDocuments([shifted ?? index], query)).toEqual(findDocuments([index], query))
      }),
    )
  })
})
