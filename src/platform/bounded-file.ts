import { type FileHandle, open } from 'node:fs/promises'
import { READ } from './head.ts'

/** What became of reading a whole file that may not be larger than a limit. */
export type BoundedFile =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'missing' }
  | { readonly kind: 'too-large' }
  /** `why` does not name the file. */
  | { readonly kind: 'unreadable'; readonly why: string }

/** Reads a regular file. Never waits on a pipe or a device, and never holds more than the limit. */
export async function readBounded(file: string, maxBytes: number): Promise<BoundedFile> {
  let handle: FileHandle | undefined
  try {
    handle = await open(file, READ)
    const stats = await handle.stat()
    if (!stats.isFile()) return { kind: 'unreadable', why: 'it is not a regular file' }
    if (stats.size > maxBytes) return { kind: 'too-large' }
    return { kind: 'bytes', bytes: await readStart(handle, stats.size) }
  } catch (error) {
    return failure(error)
  } finally {
    await handle?.close()
  }
}

/** As many bytes as the file had when it was looked at; fewer if it was cut since, not more if it grew. */
async function readStart(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size)
  let length = 0
  while (length < size) {
    const { bytesRead } = await handle.read(buffer, length, size - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

function failure(error: unknown): BoundedFile {
  const { code } = error as NodeJS.ErrnoException
  if (code === undefined) throw error
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
  return { kind: 'unreadable', why: code === 'EACCES' || code === 'EPERM' ? 'no permission' : code }
}
