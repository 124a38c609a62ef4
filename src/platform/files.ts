import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { discard } from './discard.ts'
import { asFileError } from './file-error.ts'
import { READ } from './head.ts'
import { makePath } from './make-path.ts'
import { syncFolder } from './sync.ts'
import { uniqueName } from './unique-name.ts'

/** What Orla reads whole is written by people or by itself; nothing of that is larger. */
const LARGEST_TEXT = 16 * 1_048_576

/** The text, or undefined when there is no such file. Any other failure throws; a pipe or a device is one. */
export function readTextIfThere(file: string): string | undefined {
  let fd: number
  try {
    fd = openSync(file, READ)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) throw new OrlaError('E_FILE', `${file} is not a file that can be read`)
    if (stats.size > LARGEST_TEXT) throw new OrlaError('E_FILE', `${file} is larger than 16 MiB`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** The new content or the old one, never a part: tmp → fsync → rename → fsync of the folder. */
export function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o644): void {
  const folder = dirname(file)
  const temporary = join(folder, `.${uniqueName()}.tmp`)
  try {
    const fd = openSync(temporary, 'wx', mode)
    try {
      // Again until all of it is written: one write may take a part, on a disk that is nearly full.
      writeFileSync(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, file)
  } catch (error) {
    discard(temporary)
    throw existsSync(folder)
      ? asFileError(error, `write ${file}`)
      : new OrlaError('E_FILE', `cannot write ${file}: there is no folder ${folder}`, { cause: error })
  }
  syncFolder(folder)
}

/** Undefined when the file can be appended to, or could be made where it is wanted. Changes nothing. */
export function whyNotWritable(file: string): string | undefined {
  try {
    accessSync(existsSync(file) ? file : dirname(file), constants.W_OK)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

export function makeFolder(folder: string, mode?: number): void {
  try {
    makePath(folder, mode)
  } catch (error) {
    throw asFileError(error, `make the folder ${folder}`)
  }
}

/** What is really there: links followed. The path itself when nothing is. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Where a file really lies, as long as that is below the folder: a link may lead anywhere. */
export function realPathBelow(folder: string, file: string): string | undefined {
  const real = realPath(file)
  return real.startsWith(realPath(folder) + sep) ? real : undefined
}

export function removeFile(file: string): void {
  // Looking is much less work than removing, and mostly nothing is there.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) rmSync(file, { force: true })
}

/** Names in a folder; none when it is not there. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The nearest file of that name, in `from` or a folder above it. */
export function findUpward(name: string, from: string): string | undefined {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, name)
    if (existsSync(candidate)) return candidate
    if (folder === dirname(folder)) return undefined
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}
