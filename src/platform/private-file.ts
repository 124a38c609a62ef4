import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { READ } from './head.ts'
import { makePath } from './make-path.ts'

/**
 * All of a file that this user wrote and nobody else could have: a link, another owner or a file others may
 * write gives nothing. So does anything that keeps it from being read: it is for what can be made again.
 */
export function readPrivateFile(file: string, largest: number): Uint8Array | undefined {
  let fd: number | undefined
  try {
    fd = openSync(file, READ | constants.O_NOFOLLOW)
    const { size, uid, mode } = fstatSync(fd)
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0
    if (!isPrivate || (mode & constants.S_IFMT) !== constants.S_IFREG || size > largest) return undefined
    const bytes = new Uint8Array(size)
    return readSync(fd, bytes, 0, size, 0) === size ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * The new content or the old one for whoever reads it meanwhile. Not forced to the disk: after a crash the
 * file may hold anything, and readers must notice. False when it could not be written.
 */
export function writePrivateFile(file: string, bytes: Uint8Array): boolean {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    makePath(dirname(file), 0o700)
    // A process of the same number may have left one when it was killed.
    rmSync(temporary, { force: true })
    writeFileSync(temporary, bytes, { flag: 'wx', mode: 0o600 })
    renameSync(temporary, file)
    return true
  } catch {
    discard(temporary)
    return false
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // What could not be made cannot be removed.
  }
}
