import { bytesOfIndex, type IndexSizes, indexFromBytes, indexToBytes, numbersAt } from '../formats/index.ts'
import { isJsonObject, OrlaError, type RegistryEntry } from '../model/index.ts'
import { type PartedFile, shownUrl } from '../platform/index.ts'
import { createEntryList, type EntryList } from './entry-list.ts'

/** What is kept of the index of a registry. */
export interface KeptIndex {
  readonly url: string
  readonly fetchedAt: string
  readonly entries: EntryList
  readonly problems: readonly IndexProblem[]
}

export interface IndexProblem {
  readonly line: number
  readonly message: string
}

/** Another number when other entries come out of the same text, or another file of the same entries. */
const VERSION = 4
const NEWLINE = 10
/** Most of it is the address of the registry. */
const LONGEST_HEAD = 65_536

/** A line that says what follows; where entries begin; the search index; the entries, one a line; problems. */
export function indexFileBytes({ url, fetchedAt, entries, problems }: KeptIndex): Buffer {
  const { sizes, bytes } = indexToBytes(entries.search)
  const lines = entries.all().map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`))
  const places = new Uint32Array(lines.length + 1)
  lines.forEach((line, at) => {
    places[at + 1] = (places[at] ?? 0) + line.length
  })
  const rest = Buffer.from(JSON.stringify(problems))
  const head = {
    v: VERSION,
    url,
    fetched_at: fetchedAt,
    sizes: { ...sizes, entryBytes: places[lines.length], problemBytes: rest.length },
  }
  const words = JSON.stringify(head)
  return Buffer.concat([
    // Numbers that begin at a multiple of four can be used where they lie.
    Buffer.from(`${words}${' '.repeat(3 - (Buffer.byteLength(words) % 4))}\n`),
    Buffer.from(places.buffer),
    bytes,
    ...lines,
    rest,
  ])
}

/** `isOld`: written by another version, so that only its text can be used again. Undefined: it is damaged. */
export function readIndexFile(
  file: PartedFile,
): KeptIndex | { readonly isOld: true; readonly url: string; readonly fetchedAt: string } | undefined {
  const start = file.read(0, LONGEST_HEAD)
  const begin = start.indexOf(NEWLINE) + 1
  const head = headOf(start.toString('utf8', 0, begin))
  if (head === undefined) return undefined
  const { url, fetchedAt, sizes } = head
  if (head.version !== VERSION) return { isOld: true, url, fetchedAt }
  if (sizes === undefined) return undefined
  const placeBytes = 4 * (sizes.documents + 1)
  const entriesAt = begin + placeBytes + bytesOfIndex(sizes)
  const problemsAt = entriesAt + sizes.entryBytes
  if (problemsAt + sizes.problemBytes !== file.size) return undefined
  // Entries are by far the most of it. Those that are wanted are read when they are.
  const bytes = file.read(begin, entriesAt - begin)
  const places = numbersAt(bytes, 0, sizes.documents + 1)
  const parse = (from: number, length: number): unknown => {
    try {
      return JSON.parse(file.read(from, length).toString('utf8'))
    } catch (error) {
      throw new OrlaError('E_FILE', `the kept index of the registry ${shownUrl(url)} is damaged`, {
        hint: '--refresh asks the registry again; `orla cache clear` removes what is kept',
        cause: error,
      })
    }
  }
  return {
    url,
    fetchedAt,
    entries: createEntryList(indexFromBytes(bytes, placeBytes, sizes), (number) => {
      const [from = 0, to = 0] = places.subarray(number, number + 2)
      return parse(entriesAt + from, to - from) as RegistryEntry // as it was kept
    }),
    problems: parse(problemsAt, sizes.problemBytes) as IndexProblem[], // as it was kept
  }
}

type Sizes = IndexSizes & { readonly entryBytes: number; readonly problemBytes: number }

interface Head {
  readonly version: unknown
  readonly url: string
  readonly fetchedAt: string
  readonly sizes: Sizes | undefined
}

function headOf(text: string): Head | undefined {
  const head: unknown = JSON.parse(text)
  if (!isJsonObject(head) || typeof head.url !== 'string' || typeof head.fetched_at !== 'string')
    return undefined
  return { version: head.v, url: head.url, fetchedAt: head.fetched_at, sizes: sizesOf(head.sizes) }
}

function sizesOf(written: unknown): Sizes | undefined {
  if (!isJsonObject(written)) return undefined
  const { documents, words, postings, wordBytes, entryBytes, problemBytes } = written
  const all = [documents, words, postings, wordBytes, entryBytes, problemBytes].map(Number)
  if (!all.every((size) => Number.isInteger(size) && size >= 0)) return undefined
  return {
    documents: Number(documents),
    words: Number(words),
    postings: Number(postings),
    wordBytes: Number(wordBytes),
    entryBytes: Number(entryBytes),
    problemBytes: Number(problemBytes),
  }
}
