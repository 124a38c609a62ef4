import type { Opening } from '../formats/index.ts'
import type { ScannedFile } from '../platform/index.ts'

/** What tells whether a file is the one that was read. */
export const FIELDS = ['mtimeMs', 'ctimeMs', 'size', 'mode', 'ino'] as const

/** What is kept of the beginning of a file. */
const COLUMNS = [
  'description',
  'inputSchema',
  'title',
  'print',
  'interpreter',
  'problems',
  'refusal',
] as const
type Column = (typeof COLUMNS)[number]

/** As it was written: nothing is parsed yet. */
export interface CachedOpenings {
  /** Relative paths. */
  readonly paths: readonly string[]
  /** The fields of each file, one file after the other. */
  readonly stats: Float64Array
  readonly columns: Readonly<Record<Column, Lines>>
}

/** One line of JSON for each file, empty where there is nothing. Cut into lines when one of them is asked for. */
class Lines {
  private readonly read: () => string
  private readonly count: number
  private lines: readonly string[] | undefined = undefined

  constructor(read: () => string, count: number) {
    this.read = read
    this.count = count
  }

  at(index: number): string {
    this.lines ??= this.cut()
    return this.lines[index] ?? ''
  }

  private cut(): readonly string[] {
    const text = this.read()
    // Most columns of most folders say nothing.
    return text.length < this.count ? [] : text.split('\n')
  }
}

interface Entry {
  readonly file: ScannedFile
  readonly opening: Opening
}

// Raised whenever the layout changes, or what is made of the same beginning of a file.
const VERSION = 3
const MAGIC = 0x614c724f
const WORD = { magic: 0, version: 1, count: 2, lengths: 3 } as const
/** The root, the paths, and each column. */
const TEXTS = COLUMNS.length + 2
/** The numbers behind it begin at a multiple of eight. */
const HEADER_BYTES = Math.ceil((WORD.lengths + TEXTS) / 2) * 8
const ROW = FIELDS.length

/*
 * A header of 32-bit numbers: what it is, how many files, and how long each text is. Then the fields of all files as
 * 64-bit floats, then the texts. Numbers need no parsing, and what is only passed on needs none either. All of it is
 * there twice, for what a crash or a worn disk leaves behind: comparing is native, a sum is not.
 */
export function encodeCache(root: string, entries: readonly Entry[]): Uint8Array {
  const stats = new Float64Array(entries.length * ROW)
  entries.forEach(({ file }, index) => {
    FIELDS.forEach((field, offset) => {
      stats[index * ROW + offset] = file[field]
    })
  })
  // No path has a zero in it, and no JSON that is written so has a line break.
  const paths = entries.map(({ file }) => file.relative).join('\0')
  const texts = [root, paths, ...columnsOf(entries)].map((text) => Buffer.from(text))
  const textAt = HEADER_BYTES + stats.byteLength
  const length = texts.reduce((sum, text) => sum + text.length, textAt)
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4)
  bytes.set(new Uint8Array(stats.buffer), HEADER_BYTES)
  bytes.set(Buffer.concat(texts), textAt)
  const words = wordsOf(bytes)
  words[WORD.magic] = MAGIC
  words[WORD.version] = VERSION
  words[WORD.count] = entries.length
  words.set(
    texts.map((text) => text.length),
    WORD.lengths,
  )
  return Buffer.concat([bytes, bytes])
}

/** Undefined unless it is whole, of this version and about that folder. */
export function decodeCache(both: Uint8Array, root: string): CachedOpenings | undefined {
  const half = both.byteLength / 2
  if (half < HEADER_BYTES || half % 4 !== 0) return undefined
  const bytes = both.subarray(0, half)
  if (Buffer.compare(bytes, both.subarray(half)) !== 0) return undefined
  const words = wordsOf(bytes)
  if (words[WORD.magic] !== MAGIC || words[WORD.version] !== VERSION) return undefined
  const count = words[WORD.count] ?? 0
  const ends: number[] = []
  let end = HEADER_BYTES + count * ROW * 8
  for (let text = -1; text < TEXTS; text++) {
    if (text >= 0) end += words[WORD.lengths + text] ?? 0
    ends.push(end)
  }
  if (end > bytes.byteLength) return undefined
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const textAt = (place: number) => buffer.toString('utf8', ends[place], ends[place + 1])
  const paths = textAt(1).split('\0')
  if (textAt(0) !== root || paths.length !== count) return undefined
  const stats = new Float64Array(bytes.buffer, bytes.byteOffset + HEADER_BYTES, count * ROW)
  const lines = (column: Column) => new Lines(() => textAt(COLUMNS.indexOf(column) + 2), count)
  const columns = {
    description: lines('description'),
    inputSchema: lines('inputSchema'),
    title: lines('title'),
    print: lines('print'),
    interpreter: lines('interpreter'),
    problems: lines('problems'),
    refusal: lines('refusal'),
  }
  return { paths, stats, columns }
}

function columnsOf(entries: readonly Entry[]): readonly string[] {
  const columns: string[][] = COLUMNS.map(() => [])
  for (const { opening } of entries) {
    const { print, interpreter, refusal, header } = opening
    const { description, inputSchema, title, problems } = header
    const said = { description, inputSchema, title, print, interpreter, problems, refusal }
    for (const [place, column] of COLUMNS.entries()) columns[place]?.push(lineOf(said[column]))
  }
  return columns.map((lines) => lines.join('\n'))
}

function lineOf(value: unknown): string {
  const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
  return isNothing ? '' : JSON.stringify(value)
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}
