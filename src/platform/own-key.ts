import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { readPrivateFile } from './private-file.ts'

const BYTES = 32

/** A random key that only this user knows, made when there is none. Two processes at once get the same one. */
export function ownKey(file: string): Uint8Array {
  const known = readPrivateFile(file, BYTES)
  if (known?.length === BYTES) return known
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, randomBytes(BYTES), { flag: 'wx', mode: 0o600 })
    linkSync(temporary, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asFileError(error, `write ${file}`)
  } finally {
    rmSync(temporary, { force: true })
  }
  const made = readPrivateFile(file, BYTES)
  if (made?.length === BYTES) return made
  throw new OrlaError('E_FILE', `${file} is not the key that Orla wrote`, {
    hint: 'remove it; a new one is made, and the same arguments get other hashes from then on',
  })
}
