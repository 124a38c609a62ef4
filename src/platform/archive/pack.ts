import { randomBytes } from 'node:crypto'
import { createReadStream, lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { OrlaError } from '../../model/index.ts'
import { asFileError } from '../file-error.ts'
import { createNewFile } from '../new-file.ts'
import { createPathGuard } from '../path-guard.ts'
import { comparePaths } from '../path-order.ts'
import { syncFolder } from '../sync.ts'

/**
 * Packs files of a folder. The same files give the same bytes: sorted, 644 or 755, one date for all. What this
 * packs, `extractArchive` takes.
 */
export async function packTarGz(folder: string, files: readonly string[], out: string): Promise<void> {
  const members = membersOf(folder, files)
  await writeArchive(out, async (temporary) => {
    const blocks = tarBlocks(members)
    const gzip = createGzip({ level: 9 })
    await pipeline(blocks, gzip, portableGzip, createNewFile(temporary))
  })
}

export async function packZip(folder: string, files: readonly string[], out: string): Promise<void> {
  const members = membersOf(folder, files)
  const { ZipFile } = await import('yazl')
  await writeArchive(out, async (temporary) => {
    const target = createNewFile(temporary)
    const zip = new ZipFile()
    // Its output is a PassThrough; the types promise less.
    const output = zip.outputStream as Readable
    zip.on('error', (error: Error) => output.destroy(error))
    for (const { path, file, mode } of members)
      zip.addFile(file, path, { mode: 0o100000 | mode, mtime: ZIP_DATE, forceDosTimestamp: true })
    zip.end()
    await pipeline(output, target)
  })
}

interface Member {
  readonly path: string
  readonly file: string
  readonly size: number
  readonly mode: number
}

/** The first day of the zip calendar; zip writes it in local time, whatever the time zone. */
const ZIP_DATE = new Date(1980, 0, 1)
const TAR_DATE = new Date(Date.UTC(1980, 0, 1))

function membersOf(folder: string, files: readonly string[]): Member[] {
  const guard = createPathGuard()
  return files.toSorted(comparePaths).map((path) => {
    const file = join(folder, path)
    const problem = guard.admit(path, 'file')
    if (problem !== undefined) throw new OrlaError('E_ARCHIVE', `${JSON.stringify(path)} ${problem}`)
    try {
      const stats = lstatSync(file)
      if (!stats.isFile()) {
        const kind = stats.isSymbolicLink() ? 'a link' : 'not a plain file'
        throw new OrlaError('E_ARCHIVE', `${JSON.stringify(path)} is ${kind} and cannot be packed`, {
          hint: 'put the file itself there, or leave it out with a line in .mcpkgignore',
        })
      }
      return { path, file, size: stats.size, mode: stats.mode & 0o111 ? 0o755 : 0o644 }
    } catch (error) {
      throw asFileError(error, `read ${file}`)
    }
  })
}

async function* tarBlocks(members: readonly Member[]): AsyncIterable<Buffer> {
  const { Header, Pax } = await import('tar')
  for (const { path, file, size, mode } of members) {
    const header = new Header({ path, size, mode, uid: 0, gid: 0, mtime: TAR_DATE, type: 'File' })
    const block = Buffer.alloc(512)
    if (header.encode(block)) yield new Pax({ path, size, mode, uid: 0, gid: 0, mtime: TAR_DATE }).encode()
    yield block
    let read = 0
    for await (const chunk of createReadStream(file)) {
      // A stream without encoding gives buffers.
      read += (chunk as Buffer).length
      yield chunk as Buffer
    }
    if (read !== size) throw new OrlaError('E_ARCHIVE', `${file} changed while it was packed`)
    yield Buffer.alloc((512 - (size % 512)) % 512)
  }
  yield Buffer.alloc(1024)
}

/** The tenth byte of a gzip file names the system that made it. */
async function* portableGzip(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let at = 0
  for await (const chunk of chunks) {
    if (at <= GZIP_SYSTEM && GZIP_SYSTEM < at + chunk.length) chunk[GZIP_SYSTEM - at] = 255
    at += chunk.length
    yield chunk
  }
}

const GZIP_SYSTEM = 9

/** At its name when it is whole. */
async function writeArchive(out: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = join(dirname(out), `.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await write(temporary)
    renameSync(temporary, out)
    syncFolder(dirname(out))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw asFileError(error, `write ${out}`)
  }
}
