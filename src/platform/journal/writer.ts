import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { asFileError, fullDisk } from '../file-error.ts'
import { makePath } from '../make-path.ts'
import { ownerMark } from '../owner.ts'
import { encodeRecord } from './record.ts'

/** Where this process writes its records: a file of its own, so that many write at once and none waits. */
export interface JournalWriter {
  /** The record is with the system when this returns, or it throws and nothing of it counts. */
  append(text: string): void
  close(): void
}

/** Nothing is made before the first record. */
export function openJournal(folder: string): JournalWriter {
  const random = randomBytes(4).toString('hex')
  let sequence = 0
  let fd: number | undefined

  function open(): number {
    makePath(folder, 0o700)
    return openSync(join(folder, `${ownerMark()}-${random}.${++sequence}`), 'ax', 0o600)
  }

  function close(): void {
    if (fd !== undefined) closeSync(fd)
    fd = undefined
  }

  return {
    append(text) {
      try {
        // Full, or removed by someone: another file.
        if (fd !== undefined && !isGoodFor(fd)) close()
        fd ??= open()
        const bytes = encodeRecord(text)
        if (writeSync(fd, bytes) !== bytes.length) throw fullDisk()
      } catch (error) {
        throw asFileError(error, `write to ${folder}`)
      }
    },
    close,
  }
}

/** The next file begins then, and this one can be taken up and removed while the process lives on. */
const LARGEST_FILE = 262_144

function isGoodFor(fd: number): boolean {
  const { nlink, size } = fstatSync(fd)
  return nlink > 0 && size < LARGEST_FILE
}
