import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { READ } from './head.ts'

/** A file someone wants to start, as it lies there. */
export type ProgramFile =
  | { readonly kind: 'missing' | 'folder' | 'other' }
  | {
      readonly kind: 'file'
      readonly executable: boolean
      readonly firstLine: string
      readonly mtimeMs: number
    }

/** One for all: nothing else happens while a file is read. */
const HEAD = Buffer.allocUnsafeSlow(1024)
const NEWLINE = 10

export function lookAtProgram(file: string): ProgramFile {
  let fd: number
  try {
    fd = openSync(file, READ)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return { kind: code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' ? 'missing' : 'other' }
  }
  try {
    const stats = fstatSync(fd)
    if (stats.isDirectory()) return { kind: 'folder' }
    if (!stats.isFile()) return { kind: 'other' }
    const head = HEAD.subarray(0, readSync(fd, HEAD))
    const end = head.indexOf(NEWLINE)
    const firstLine = head.toString('latin1', 0, end < 0 ? head.length : end)
    return { kind: 'file', executable: (stats.mode & 0o111) !== 0, firstLine, mtimeMs: stats.mtimeMs }
  } finally {
    closeSync(fd)
  }
}
