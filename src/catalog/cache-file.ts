import type { Opening } from '../formats/index.ts'
import { isJsonObject, type JsonSchema } from '../model/index.ts'
import type { ScannedFile } from '../platform/index.ts'

/** What tells whether a file is the one that was read. */
export const FIELDS = ['mtimeMs', 'ctimeMs', 'size', 'mode', 'ino'] as const

export interface CachedOpenings {
  /** Relative paths. */
  readonly paths: readonly string[]
  /** The fields of each file, one file after the other. */
  readonly stats: Float64Array
  openingAt(index: number): Opening | undefined
}

interface Entry {
  readonly file: ScannedFile
  readonly opening: Opening | undefined
}

// Raised whenever the layout changes, or what is made of the same beginning of a file.
const VERSION = 1
const MAGIC = 0x614c724f
const HEADER = { magic: 0, version: 1, sum: 2, count: 3 } as const
const HEADER_BYTES = 16
/** What JSON may end with. */
const BLANK = 0x20

/*
 * A header of four numbers, the fields of all files as 64-bit floats, then JSON: the root, the paths, the
 * openings. Numbers need no parsing, and JSON.parse is the fastest way to make ten thousand small objects.
 */
export function encodeCache(root: string, entries: readonly Entry[]): Uint8Array {
  const stats = new Float64Array(entries.length * FIELDS.length)
  entries.forEach(({ file }, index) => {
    FIELDS.forEach((field, offset) => {
      stats[index * FIELDS.length + offset] = file[field]
    })
  })
  const written = JSON.stringify([
    root,
    entries.map(({ file }) => file.relative),
    entries.map(({ opening }) => opening && pack(opening)),
  ])
  const textAt = HEADER_BYTES + stats.byteLength
  const bytes = new Uint8Array(textAt + Math.ceil(Buffer.byteLength(written) / 4) * 4).fill(BLANK, textAt)
  Buffer.from(bytes.buffer).write(written, textAt)
  bytes.set(new Uint8Array(stats.buffer), HEADER_BYTES)
  const words = wordsOf(bytes)
  words[HEADER.magic] = MAGIC
  words[HEADER.version] = VERSION
  words[HEADER.count] = entries.length
  words[HEADER.sum] = sumOf(words.subarray(HEADER_BYTES / 4), entries.length)
  return bytes
}

/** Undefined unless it is whole, of this version and about that folder. */
export function decodeCache(bytes: Uint8Array, root: string): CachedOpenings | undefined {
  if (bytes.byteLength < HEADER_BYTES || bytes.byteLength % 4 !== 0) return undefined
  const words = wordsOf(bytes)
  const count = words[HEADER.count] ?? 0
  const textAt = HEADER_BYTES + count * FIELDS.length * 8
  if (words[HEADER.magic] !== MAGIC || words[HEADER.version] !== VERSION) return undefined
  if (textAt > bytes.byteLength || words[HEADER.sum] !== sumOf(words.subarray(HEADER_BYTES / 4), count)) {
    return undefined
  }
  const parsed = parse(Buffer.from(bytes.buffer, textAt).toString())
  if (!Array.isArray(parsed)) return undefined
  const [about, paths, openings]: unknown[] = parsed
  if (about !== root || !isList(paths, count) || !paths.every(isText) || !isList(openings, count)) {
    return undefined
  }
  const stats = new Float64Array(bytes.buffer, HEADER_BYTES, count * FIELDS.length)
  return { paths, stats, openingAt: (index) => unpack(openings[index]) }
}

/** What is not there at the end is left out. */
type Packed = readonly [
  print: string,
  interpreter?: readonly string[] | null,
  description?: string | null,
  title?: string | null,
  inputSchema?: JsonSchema | null,
  problems?: readonly HeaderProblem[] | null,
  refusal?: Refusal | null,
]

type HeaderProblem = Opening['header']['problems'][number]
type Refusal = NonNullable<Opening['refusal']>
type Building<T> = { -readonly [K in keyof T]: T[K] }

function pack({ print, refusal, interpreter, header }: Opening): unknown[] {
  const { description, title, inputSchema, problems } = header
  const parts = [print, interpreter, description, title, inputSchema, problems.length > 0 ? problems : null]
  const all = [...parts, refusal]
  return all.slice(0, all.findLastIndex((part) => part !== undefined && part !== null) + 1)
}

// Ten thousand of these are made at the start of a server, hence field by field.
function unpack(packed: unknown): Opening | undefined {
  if (!isPacked(packed)) return undefined
  const [print, interpreter, description, title, inputSchema, problems, refusal] = packed
  const header: Building<Opening['header']> = { problems: problems ?? NONE }
  if (description != null) header.description = description
  if (title != null) header.title = title
  if (inputSchema != null) header.inputSchema = inputSchema
  const opening: Building<Opening> = { print, interpreter: interpreter ?? null, header }
  if (refusal != null) opening.refusal = refusal
  return opening
}

const NONE: readonly HeaderProblem[] = []

/** The sum tells that all of it was written; only the shape tells whether it was written by us. */
function isPacked(packed: unknown): packed is Packed {
  if (!Array.isArray(packed)) return false
  const [print, interpreter, description, title, inputSchema, problems, refusal]: unknown[] = packed
  return (
    isText(print) &&
    (interpreter == null ||
      (Array.isArray(interpreter) && interpreter.length > 0 && interpreter.every(isText))) &&
    (description == null || isText(description)) &&
    (title == null || isText(title)) &&
    (inputSchema == null || isJsonObject(inputSchema)) &&
    (problems == null || (Array.isArray(problems) && problems.every(isProblem))) &&
    (refusal == null || isProblem(refusal))
  )
}

function isProblem(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { message, hint, line } = value
  return (
    isText(message) && (hint === undefined || isText(hint)) && (line === undefined || Number.isInteger(line))
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isList(value: unknown, length: number): value is unknown[] {
  return Array.isArray(value) && value.length === length
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

/** Notices what a crash or a worn disk leaves behind. */
function sumOf(words: Uint32Array, seed: number): number {
  let sum = seed
  // Not `for of`: a million numbers would be boxed on their way.
  for (let i = 0; i < words.length; i++) sum = Math.imul(sum ^ (words[i] ?? 0), 0x9e3779b1) ^ (sum >>> 15)
  return sum >>> 0
}
