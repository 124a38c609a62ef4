import { join } from 'node:path'
import { loadYaml, readRegistry } from '../formats/index.ts'
import { makeFolder, openParts, readTextIfThere, removeFile, writeFileAtomic } from '../platform/index.ts'
import { type EntryList, listEntries } from './entry-list.ts'
import { type IndexProblem, indexFileBytes, type KeptIndex, readIndexFile } from './index-file.ts'

/** What the text of a registry says. */
export interface Reading {
  readonly entries: EntryList
  readonly problems: readonly IndexProblem[]
}

/** A copy from an earlier time. */
interface Cached {
  readonly fetchedAt: string
  readonly reading: () => Promise<Reading>
}

export async function readText(text: string): Promise<Reading> {
  const { entries, problems } = readRegistry(text, 'registry.yaml', await loadYaml())
  return {
    entries: listEntries(entries),
    problems: problems.map(({ line, message }) => ({ line, message })),
  }
}

/** What was in the text is kept beside it: to read a long one takes seconds. */
export function readCached(kept: string, url: string): Cached | undefined {
  const index = readKept(kept)
  if (index !== undefined && index.url !== url) return undefined
  if (index !== undefined && !('isOld' in index))
    return { fetchedAt: index.fetchedAt, reading: async () => index }
  try {
    const text = readTextIfThere(`${kept}.yaml`)
    if (text === undefined) return undefined
    const fetchedAt = index?.fetchedAt ?? new Date(openParts(`${kept}.yaml`)?.changedMs ?? 0).toISOString()
    return { fetchedAt, reading: () => rebuild(kept, url, fetchedAt, text) }
  } catch {
    return undefined // what cannot be read is as good as none
  }
}

/** The text first: should this end between the two, the index is an older one and still whole. */
export function keepIndex(kept: string, text: string, index: KeptIndex): void {
  makeFolder(join(kept, '..'))
  writeFileAtomic(`${kept}.yaml`, text)
  writeFileAtomic(indexFile(kept), indexFileBytes(index))
}

function readKept(kept: string): ReturnType<typeof readIndexFile> {
  try {
    const file = openParts(indexFile(kept))
    return file && readIndexFile(file, () => removeFile(indexFile(kept)))
  } catch {
    return undefined // it is damaged
  }
}

/** The index of another version or a damaged one is made anew, once. */
async function rebuild(kept: string, url: string, fetchedAt: string, text: string): Promise<Reading> {
  const reading = await readText(text)
  try {
    writeFileAtomic(indexFile(kept), indexFileBytes({ url, fetchedAt, ...reading }))
  } catch {
    // A read-only home, a full disk: the next command reads the text again.
  }
  return reading
}

function indexFile(kept: string): string {
  return `${kept}.index`
}
