import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { READ } from './head.ts'

/** A file of which only parts are read. It stays the same one, even when another takes its name. */
export interface PartedFile {
  readonly size: number
  /** When something was written into it. */
  readonly changedMs: number
  /** Fewer bytes where it ends before. */
  read(from: number, length: number): Buffer
}

/** Undefined when there is no such regular file. It stays open as long as the program runs. */
export function openParts(file: string): PartedFile | undefined {
  let fd: number
  try {
    fd = openSync(file, READ)
  } catch {
    return undefined
  }
  const stats = fstatSync(fd)
  if (!stats.isFile()) {
    closeSync(fd)
    return undefined
  }
  return {
    size: stats.size,
    changedMs: stats.mtimeMs,
    read(from, length) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, stats.size - from)))
      let read = 0
      while (read < bytes.length) {
        const more = readSync(fd, bytes, read, bytes.length - read, from + read)
        if (more === 0) break
        read += more
      }
      return bytes.subarray(0, read)
    },
  }
}
