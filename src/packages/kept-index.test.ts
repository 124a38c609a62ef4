import { mkdtempSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepIndex, readCached, readText } from './kept-index.ts'

const URL = 'https://example.com/registry'
const FETCHED_AT = '2026-01-31T00:00:00.000Z'
const TEXT = `version: 1
registry_version: 1
tools:
  - {name: fs, description: Local files, repository: "https://example.com/fs"}
  - {name: http, description: Requests, repository: "https://example.com/http"}
`

let folder: string
let kept: string
let index: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orla-kept-'))
  kept = join(folder, 'index', 'it')
  index = `${kept}.index`
  keepIndex(kept, TEXT, { url: URL, fetchedAt: FETCHED_AT, ...(await readText(TEXT)) })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function names(): Promise<string[] | undefined> {
  const reading = await readCached(kept, URL)?.reading()
  return reading?.entries.all().map(({ name }) => name)
}

describe('what is kept of a registry', () => {
  it('Q116: a damaged index, a missing one and one of another version are made anew of the text, once', async () => {
    const whole = readFileSync(index)
    const changes = {
      cut: () => truncateSync(index, 100),
      empty: () => truncateSync(index, 0),
      missing: () => rmSync(index),
      other: () => writeFileSync(index, whole.toString('latin1').replace('"v":7', '"v":6'), 'latin1'),
    }
    for (const [name, change] of Object.entries(changes)) {
      change()
      expect(await names(), name).toEqual(['fs', 'http'])
      const { ino } = statSync(index)
      expect(await names(), name).toEqual(['fs', 'http'])
      expect(statSync(index).ino, name).toBe(ino)
    }
  })

  it('Q116: an index whose head cannot be read is as old as its text', () => {
    truncateSync(index, 0)
    utimesSync(`${kept}.yaml`, new Date(FETCHED_AT), new Date(FETCHED_AT))
    expect(readCached(kept, URL)?.fetchedAt).toBe(FETCHED_AT)
  })

  it('Q116: damage that shows later is told, and the next command makes the index anew', async () => {
    const bytes = readFileSync(index)
    const at = bytes.indexOf('{"name":"http"')
    writeFileSync(index, bytes.fill(0, at, at + 10))
    await expect(names()).rejects.toMatchObject({
      message: `the kept index of the registry ${URL} is damaged`,
      hint: 'run the command again: the index is made anew',
    })
    expect(await names()).toEqual(['fs', 'http'])
  })

  it('Q116: without the text a damaged index is as good as none', () => {
    truncateSync(index, 100)
    rmSync(`${kept}.yaml`)
    expect(readCached(kept, URL)).toBeUndefined()
  })
})
