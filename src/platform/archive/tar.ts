import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { Parser, ReadEntry } from 'tar'
import { OrlaError } from '../../model/index.ts'
import type { FileSink, TreeWriter } from '../tree-writer.ts'
import { type Archive, brokenArchive } from './extract.ts'

/** Everything happens within the write of a chunk: the parser hands over an entry's bytes as it meets them. */
export async function extractTar(archive: Archive, writer: TreeWriter, gzipped: boolean): Promise<void> {
  const { Parser } = await import('tar')
  const parser = new Parser({ strict: true, maxMetaEntrySize: MAX_META_BYTES, brotli: false, zstd: false })
  const state = listen(parser, archive, writer)
  const most = archive.limits.bytes + archive.limits.entries * OVERHEAD_BYTES
  let bytes = 0
  try {
    for await (const block of readTar(archive, gzipped)) {
      bytes += block.length
      if (bytes > most)
        throw new OrlaError('E_UNSAFE_TREE', `${archive.name} unpacks to more than ${most} bytes`)
      parser.write(block)
      if (state.failure !== undefined) break
    }
    parser.end()
  } catch (error) {
    throw judge(state.failure ?? error, archive)
  }
  if (state.failure !== undefined) throw judge(state.failure, archive)
  if (!state.ended) throw brokenArchive(archive, 'its end is missing')
}

const MAX_META_BYTES = 64 * 1024
/** Of an entry beside its content: a header and its padding, and the same for a long name. */
const OVERHEAD_BYTES = 4 * 1024

/** The parser unpacks what looks packed to it, uncounted: nothing packed twice may reach it. */
async function* readTar(archive: Archive, gzipped: boolean): AsyncIterable<Buffer> {
  const source = createReadStream(archive.file)
  // A stream without encoding gives buffers.
  const stream: AsyncIterable<Buffer> = gzipped ? pipeline(source, createGunzip(), () => {}) : source
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of stream) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < 2) continue
    if (head[0] === 0x1f && head[1] === 0x8b) throw brokenArchive(archive, 'it is packed twice')
    yield head
    head = undefined
  }
}

interface State {
  failure: unknown
  /** The two empty blocks at the end were seen. */
  ended: boolean
}

function listen(parser: Parser, archive: Archive, writer: TreeWriter): State {
  const state: State = { failure: undefined, ended: false }
  function attempt(work: () => void): void {
    if (state.failure !== undefined) return
    try {
      work()
    } catch (error) {
      state.failure = error
    }
  }
  parser.on('error', (error: Error) => {
    state.failure ??= error
  })
  parser.on('eof', () => {
    state.ended = true
  })
  parser.on('ignoredEntry', (entry: ReadEntry) => {
    state.failure ??= writer.refuse(entry.path, 'is of a kind that packages do not have')
  })
  parser.on('meta', (text: string) => attempt(() => checkMeta(text, archive)))
  parser.on('entry', (entry: ReadEntry) =>
    attempt(() => {
      const sink = open(entry, writer)
      entry.on('data', (chunk: Buffer) => attempt(() => sink?.write(chunk)))
      entry.on('end', () => attempt(() => sink?.close()))
    }),
  )
  return state
}

/** undefined for a folder. */
function open(entry: ReadEntry, writer: TreeWriter): FileSink | undefined {
  writer.count()
  const path = plainPath(entry)
  if (FILES.has(entry.type)) return writer.file(path, ((entry.mode ?? 0) & 0o111) !== 0)
  if (entry.type !== 'Directory')
    throw writer.refuse(path, LINKS.has(entry.type) ? 'is a link' : 'is a device')
  if (path !== '') writer.folder(path)
  return undefined
}

const FILES: ReadonlySet<string> = new Set(['File', 'OldFile', 'ContiguousFile'])
const LINKS: ReadonlySet<string> = new Set(['SymbolicLink', 'Link'])

/** `tar -c .` puts `./` before every name and lists `./` itself. */
function plainPath(entry: ReadEntry): string {
  const path = entry.path.replace(/^\.\//, '')
  return entry.type === 'Directory' ? path.replace(/\/$/, '').replace(/^\.$/, '') : path
}

/** A name is cut at a NUL by some readers and not by others. GNU's long names end in one. */
function checkMeta(text: string, archive: Archive): void {
  if (text.replace(/\0+$/, '').includes('\0'))
    throw new OrlaError('E_UNSAFE_TREE', `${archive.name} has a name with a NUL byte in it`)
}

function judge(error: unknown, archive: Archive): unknown {
  if (error instanceof OrlaError || (error instanceof Error && 'syscall' in error)) return error
  const message = (error as Error).message
  if (/Unrecognized archive format/.test(message))
    return brokenArchive(archive, 'it is not a zip, tar or tar.gz', error)
  return brokenArchive(archive, /checksum/i.test(message) ? 'a checksum is wrong' : 'it is damaged', error)
}
