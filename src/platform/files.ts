import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The text, or undefined when there is no such file. Any other failure throws. */
export function readTextIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The new content or the old one, never a part: tmp → fsync → rename → fsync of the folder. */
export function writeFileAtomic(file: string, content: string, mode = 0o644): void {
  const folder = dirname(file)
  const temporary = join(folder, `.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const fd = openSync(temporary, 'wx', mode)
    try {
      writeSync(fd, content)
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(folder)
}

export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true })
}

export function removeFile(file: string): void {
  rmSync(file, { force: true })
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

function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR'
}
