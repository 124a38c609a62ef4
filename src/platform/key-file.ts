import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { READ } from './head.ts'

export interface KeyFile {
  readonly text: string
  /** Others than its owner may read it. */
  readonly isShared: boolean
}

/** No key, certificate or token is larger. */
const LARGEST = 1_048_576

/** What a file holds that opens something, or why it cannot be had, in words. */
export function readKeyFile(file: string): KeyFile | string {
  let fd: number
  try {
    fd = openSync(file, READ)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'there is no such file'
    return code === 'EACCES' ? 'no permission to read it' : message
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return 'it is not a file'
    if (stats.size > LARGEST) return 'it is larger than 1 MiB'
    return { text: readFileSync(fd, 'utf8'), isShared: (stats.mode & 0o077) !== 0 }
  } finally {
    closeSync(fd)
  }
}
