import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Catalog, Document } from '../model/index.ts'
import { listDocuments, readDocument } from './handle-documents.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orla-documents-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function document(name: string, mimeType: string): Document {
  return { uri: `orla://tool/t/examples/${name}`, name, mimeType, file: join(folder, name) }
}

function catalogOf(...documents: readonly Document[]): Catalog {
  return { tools: new Map(), problems: [], documents }
}

async function read(name: string, content: string | Buffer, mimeType: string, maxBytes = 100) {
  writeFileSync(join(folder, name), content)
  const uri = `orla://tool/t/examples/${name}`
  const { contents } = await readDocument(catalogOf(document(name, mimeType)), uri, maxBytes)
  return contents[0]
}

it.each([
  'text/plain',
  'TEXT/x',
  'application/json',
  'application/json; charset=utf-8',
  'application/schema+json',
])('%s is text', async (mimeType) => {
  expect(await read('a', 'hi', mimeType)).toMatchObject({ text: 'hi' })
})

it.each(['image/png', 'application/octet-stream', 'application/jsonish', 'model/text/plain'])(
  '%s is bytes',
  async (mimeType) => {
    expect(await read('a', 'hi', mimeType)).toMatchObject({ blob: 'aGk=' })
  },
)

it('what would not fit into an answer is refused, by the size it has there', async () => {
  const refusal = {
    code: -32603,
    message: 'orla://tool/t/examples/a is larger than the 100 bytes that fit into an answer',
  }
  expect(await read('a', 'x'.repeat(98), 'text/plain')).toHaveProperty('text')
  await expect(read('a', 'x'.repeat(101), 'text/plain')).rejects.toMatchObject(refusal)
  await expect(read('a', '\n'.repeat(60), 'text/plain')).rejects.toMatchObject(refusal)
  expect(await read('a', Buffer.alloc(75), 'image/png')).toHaveProperty('blob')
  await expect(read('a', Buffer.alloc(76), 'image/png')).rejects.toMatchObject(refusal)
})

it('says why a file cannot be read, and not where it is', async () => {
  mkdirSync(join(folder, 'inner'), { recursive: true })
  const catalog = catalogOf(document('inner', 'text/plain'))
  const reading = readDocument(catalog, 'orla://tool/t/examples/inner')
  await expect(reading).rejects.toMatchObject({
    code: -32603,
    message: 'The file of orla://tool/t/examples/inner cannot be read: it is not a regular file',
  })
})

it('lists pages by URI, each document once, whatever its name', () => {
  const names = Array.from({ length: 30 }, (_, i) => `é ${i}\n`)
  const catalog = catalogOf(...names.map((name) => document(name, 'text/plain')))
  const uris: string[] = []
  let cursor: string | undefined
  let pages = 0
  do {
    const page = listDocuments(catalog, cursor, 500)
    uris.push(...page.resources.map(({ uri }) => uri))
    cursor = page.nextCursor
    pages++
  } while (cursor !== undefined)
  expect(pages).toBeGreaterThan(3)
  expect(uris).toEqual((catalog.documents ?? []).map(({ uri }) => uri).sort())
  expect(JSON.stringify(listDocuments(catalog))).not.toContain(folder)
})
