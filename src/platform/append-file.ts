import { closeSync, openSync, writeSync } from 'node:fs'
import { asFileError, fullDisk } from './file-error.ts'

/** A file to which whole lines are added, by many processes if need be. */
export interface AppendFile {
  /** Throws when the line is not in the file, or not all of it. */
  append(line: string): void
  /** Opens it again, so that a rotated file is continued under its name. */
  reopen(): void
  close(): void
}

/** Only its owner may read it. */
export function openAppendFile(file: string): AppendFile {
  const open = () => {
    try {
      return openSync(file, 'a', 0o600)
    } catch (error) {
      throw asFileError(error, `write ${file}`)
    }
  }
  let fd: number | undefined = open()
  /** A full disk took a part of the last line: the next one must not become its end. */
  let isTorn = false
  return {
    append(line) {
      fd ??= open()
      const bytes = Buffer.from(`${isTorn ? '\n' : ''}${line}\n`)
      try {
        const written = writeSync(fd, bytes)
        if (written === bytes.length) isTorn = false
        else {
          isTorn = written > 0 || isTorn
          throw fullDisk()
        }
      } catch (error) {
        throw asFileError(error, `write ${file}`)
      }
    },
    reopen() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
      fd = open()
    },
    close() {
      if (fd !== undefined) closeSync(fd)
      fd = undefined
    },
  }
}
