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

const FIRST_LINE_BYTES = 1024

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
    const head = Buffer.alloc(FIRST_LINE_BYTES)
    const length = readSync(fd, head)
    const firstLine = head.toString('latin1', 0, length).split('\n', 1)[0] ?? ''
    return { kind: 'file', executable: (stats.mode & 0o111) !== 0, firstLine, mtimeMs: stats.mtimeMs }
  } finally {
    closeSync(fd)
  }
}
