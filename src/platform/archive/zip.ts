import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import type { Entry, ZipFile } from 'yauzl'
import { OrlaError } from '../../model/index.ts'
import type { FileSink, TreeWriter } from '../tree-writer.ts'
import { type Archive, brokenArchive } from './extract.ts'
import { openHeldZip } from './held-zip.ts'

/**
 * Names are taken as the bytes they are, and judged here: what the library would decode, repair or skip is
 * what two programs could read differently.
 */
export async function extractZip(archive: Archive, writer: TreeWriter): Promise<void> {
  const { openPromise } = await import('yauzl')
  const broken = (error: unknown) => brokenArchive(archive, wordsOf(error), error)
  const bytes = statSync(archive.file).size <= HELD_BYTES ? readFileSync(archive.file) : undefined
  const options = { decodeStrings: false, autoClose: false }
  const opening = bytes ? openHeldZip(bytes, options) : openPromise(archive.file, options)
  const zip = await opening.catch((error: unknown) => {
    throw broken(error)
  })
  // Errors reach the loop below; one that comes later has no one to tell.
  zip.on('error', () => {})
  try {
    if (zip.entryCount > archive.limits.entries)
      throw new OrlaError('E_UNSAFE_TREE', `${archive.name} has more than ${archive.limits.entries} entries`)
    const taken: Range[] = []
    for await (const entry of zip.eachEntry()) {
      writer.count()
      // What is in memory never waits, and someone may want to interrupt it.
      if (taken.length % AT_ONCE === AT_ONCE - 1) await nextTurn()
      taken.push(await extractEntry({ zip, bytes }, entry, archive, writer))
    }
    checkRanges(taken, Number(zip.readEntryCursor), archive)
    checkEnd(zip, archive)
  } catch (error) {
    throw error instanceof OrlaError || isSystemError(error) ? error : broken(error)
  } finally {
    zip.close()
  }
}

/** What the library says is for those who know the format. */
function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/mismatch|encrypt/i.test(message)) return 'its sizes contradict each other, or it is encrypted'
  return 'it is damaged, or not a whole zip'
}

/** An archive up to this is held in memory: a file of it is then unpacked in one go. */
const HELD_BYTES = 64 * 1_048_576
/** More than this of one file is never held. */
const WHOLE_BYTES = 8 * 1_048_576

const LEAST_CHUNK = 64
/** Entries. */
const AT_ONCE = 200

interface Opened {
  readonly zip: ZipFile
  readonly bytes: Buffer | undefined
}

interface Range {
  readonly path: string
  readonly start: number
  readonly end: number
}

async function extractEntry(
  opened: Opened,
  entry: Entry,
  archive: Archive,
  writer: TreeWriter,
): Promise<Range> {
  const raw = entry.fileNameRaw.toString('utf8')
  const isFolder = raw.endsWith('/')
  const path = isFolder ? raw.slice(0, -1) : raw
  const mode = entry.externalFileAttributes >>> 16
  const kind = mode & 0o170000
  if (kind !== 0 && kind !== (isFolder ? 0o040000 : 0o100000)) throw writer.refuse(path, strangeKind(kind))
  if (entry.generalPurposeBitFlag & ENCRYPTED) throw brokenArchive(archive, 'it is encrypted')
  if (!METHODS.has(entry.compressionMethod))
    throw brokenArchive(archive, `${JSON.stringify(path)} is packed with method ${entry.compressionMethod}`)

  const local = await opened.zip.readLocalFileHeaderPromise(entry)
  if (!local.fileName.equals(entry.fileNameRaw))
    throw writer.refuse(path, 'has another name inside the archive')
  if (local.compressionMethod !== entry.compressionMethod || local.generalPurposeBitFlag & ENCRYPTED)
    throw writer.refuse(path, 'is described in two ways')

  if (isFolder) {
    if (entry.uncompressedSize > 0) throw writer.refuse(path, 'is a folder with content')
    writer.folder(path)
  } else {
    const sink = writer.file(path, (mode & 0o111) !== 0)
    const whole = wholeContent(opened, entry, local.fileDataStart)
    const sum = whole === undefined ? await unpack(opened.zip, entry, sink) : put(whole, sink)
    if (sum !== entry.crc32) throw brokenArchive(archive, `${JSON.stringify(path)} is damaged`)
  }
  const start = entry.relativeOffsetOfLocalHeader
  return { path, start, end: local.fileDataStart + entry.compressedSize }
}

/** All of a file, or undefined when that is better done piece by piece. It cannot grow beyond what it says. */
function wholeContent({ bytes }: Opened, entry: Entry, start: number): Buffer | undefined {
  const { compressedSize, uncompressedSize, compressionMethod } = entry
  if (bytes === undefined || uncompressedSize > WHOLE_BYTES) return undefined
  const packed = bytes.subarray(start, start + compressedSize)
  if (packed.length !== compressedSize) throw new Error('unexpected end of file')
  const content =
    compressionMethod === 0
      ? packed
      : inflateRawSync(packed, {
          maxOutputLength: Math.max(1, uncompressedSize),
          // As much as it needs at once: a small file does not ask for the memory of a large one.
          chunkSize: Math.max(LEAST_CHUNK, uncompressedSize + 1),
        })
  if (content.length !== uncompressedSize) throw new Error('a file has another size than it says')
  return content
}

/** Returns the checksum. */
function put(content: Buffer, sink: FileSink): number {
  sink.write(content)
  sink.close()
  return crc32(content)
}

async function unpack(zip: ZipFile, entry: Entry, sink: FileSink): Promise<number> {
  let sum = 0
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    // A stream without encoding gives buffers.
    const bytes = chunk as Buffer
    sum = crc32(bytes, sum)
    sink.write(bytes)
  }
  sink.close()
  return sum
}

const ENCRYPTED = 0x1 | 0x40 | 0x2000
/** Stored and deflated. */
const METHODS: ReadonlySet<number> = new Set([0, 8])

function strangeKind(kind: number): string {
  if (kind === 0o120000) return 'is a link'
  return kind === 0o040000 || kind === 0o100000 ? 'is both a file and a folder' : 'is a device'
}

/** Entries that share bytes are how a small archive becomes a huge tree. */
function checkRanges(taken: readonly Range[], directoryEnd: number, archive: Archive): void {
  const sorted = taken.toSorted((a, b) => a.start - b.start)
  for (const [index, range] of sorted.entries()) {
    const next = sorted[index + 1]?.start ?? directoryEnd
    if (range.end > next)
      throw new OrlaError(
        'E_UNSAFE_TREE',
        `${archive.name}: ${JSON.stringify(range.path)} shares its bytes with another entry`,
      )
  }
}

const CENTRAL_ENTRY = 0x02014b50

/** More entries than the end of the archive admits to are seen by some programs and not by others. */
function checkEnd(zip: ZipFile, archive: Archive): void {
  const fd = openSync(archive.file, 'r')
  const after = Buffer.alloc(4)
  readSync(fd, after, 0, 4, Number(zip.readEntryCursor))
  closeSync(fd)
  if (after.readUInt32LE(0) === CENTRAL_ENTRY)
    throw new OrlaError('E_UNSAFE_TREE', `${archive.name} has more entries than it says`)
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
