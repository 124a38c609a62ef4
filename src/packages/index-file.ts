import { bytesOfIndex, type IndexSizes, indexFromBytes, indexToBytes } from '../formats/index.ts'
import { isJsonObject, OrlaError } from '../model/index.ts'
import { type PartedFile, shownUrl } from '../platform/index.ts'
import { entriesFromLines, entriesToLines, placesOfLines } from './entry-lines.ts'
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
const VERSION = 7
const NEWLINE = 10
/** Most of it is the address of the registry, which is short nearly always. */
const USUAL_HEAD = 2_048
const LONGEST_HEAD = 65_536
/** More than the longest text that is read of a registry could make. */
const LARGEST_FILE = 256 * 1_048_576
/** Its keys alone take as many bytes. */
const SHORTEST_ENTRY = 80

/** A line that says what follows; the search index; where entries begin; the entries, one a line; problems. */
export function indexFileBytes({ url, fetchedAt, entries, problems }: KeptIndex): Buffer {
  const { sizes, bytes } = indexToBytes(entries.search)
  const { places, lines } = entriesToLines(entries.all())
  const rest = Buffer.from(JSON.stringify(problems))
  const head = {
    v: VERSION,
    url,
    fetched_at: fetchedAt,
    sizes: { ...sizes, entryBytes: lines.length, problemBytes: rest.length },
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes, places, lines, rest])
}

/**
 * `isOld`: written by another version, so that only its text can be used again. Undefined: it is damaged.
 * What turns out to be damaged later is told to `onDamage` before it is thrown.
 */
export function readIndexFile(
  file: Pick<PartedFile, 'size' | 'read'>,
  onDamage: () => void,
): KeptIndex | { readonly isOld: true; readonly url: string; readonly fetchedAt: string } | undefined {
  const start = headBytes(file)
  const begin = start.indexOf(NEWLINE) + 1
  const head = headOf(start.toString('utf8', 0, begin))
  if (head === undefined) return undefined
  const { url, fetchedAt, sizes } = head
  if (head.version !== VERSION) return { isOld: true, url, fetchedAt }
  if (sizes === undefined || file.size > LARGEST_FILE) return undefined
  if (sizes.documents * SHORTEST_ENTRY > sizes.entryBytes) return undefined
  const placesAt = begin + bytesOfIndex(sizes)
  const problemsAt = placesAt + placesOfLines(sizes.documents) + sizes.entryBytes
  if (problemsAt + sizes.problemBytes !== file.size) return undefined
  const read = (from: number, length: number): Buffer => {
    const bytes = file.read(from, length)
    if (bytes.length !== length) throw new RangeError('the file ends before')
    return bytes
  }
  const problems: unknown = JSON.parse(read(problemsAt, sizes.problemBytes).toString('utf8'))
  if (!Array.isArray(problems)) return undefined
  const damaged = (error: unknown): OrlaError => {
    onDamage()
    return new OrlaError('E_FILE', `the kept index of the registry ${shownUrl(url)} is damaged`, {
      hint: 'run the command again: the index is made anew',
      cause: error,
    })
  }
  // The rest is read when it is wanted, and no more of it than that.
  const search = indexFromBytes((from, length) => {
    try {
      return read(begin + from, length)
    } catch (error) {
      throw damaged(error)
    }
  }, sizes)
  const at = entriesFromLines((from, length) => read(placesAt + from, length), sizes, damaged)
  return { url, fetchedAt, entries: createEntryList(search, at), problems: problems as IndexProblem[] } // as it was kept
}

function headBytes(file: Pick<PartedFile, 'read'>): Buffer {
  const bytes = file.read(0, USUAL_HEAD)
  return bytes.includes(NEWLINE) ? bytes : file.read(0, LONGEST_HEAD)
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
  const size = (name: keyof Sizes) => Number(written[name])
  const sizes: Sizes = {
    documents: size('documents'),
    words: size('words'),
    postings: size('postings'),
    lengths: size('lengths'),
    letters: size('letters'),
    headLetters: size('headLetters'),
    letterBytes: size('letterBytes'),
    wideTerms: size('wideTerms'),
    wideLetters: size('wideLetters'),
    wideBest: size('wideBest'),
    entryBytes: size('entryBytes'),
    problemBytes: size('problemBytes'),
  }
  const isWhole = Object.values(sizes).every((one: number) => Number.isInteger(one) && one >= 0)
  return isWhole && (sizes.letterBytes === 1 || sizes.letterBytes === 2) ? sizes : undefined
}
