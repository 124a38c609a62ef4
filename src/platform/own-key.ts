import { randomBytes } from 'node:crypto'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { makePath } from './make-path.ts'
import { readPrivateFile } from './private-file.ts'

const BYTES = 32

/** A key that belongs to this user on this machine; made when it is first asked for, by one of many at once. */
export function ownKey(file: string): Uint8Array {
  const there = readKey(file)
  if (there !== undefined) return there
  const temporary = `${file}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    makePath(dirname(file), 0o700)
    try {
      writeFileSync(temporary, randomBytes(BYTES), { flag: 'wx', mode: 0o600 })
      take(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch (error) {
    throw asFileError(error, `write ${file}`)
  }
  const made = readKey(file)
  if (made !== undefined) return made
  throw new OrlaError('E_FILE', `${file} is not a key that only you can write`, { hint: 'remove it' })
}

/** Whole or not at all, and never in place of one that somebody else made meanwhile. */
function take(temporary: string, file: string): void {
  try {
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (readKey(file) !== undefined) return
    // What lies there is no key of ours: nothing could be found with it.
    rmSync(file, { force: true })
    linkSync(temporary, file)
  }
}

function readKey(file: string): Uint8Array | undefined {
  const bytes = readPrivateFile(file, BYTES)
  return bytes?.length === BYTES ? bytes : undefined
}
