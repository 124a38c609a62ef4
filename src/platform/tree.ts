import { createHash } from 'node:crypto'
import { closeSync, type Dirent, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { escapeControls, OrlaError, sha256 } from '../model/index.ts'
import { asFileError } from './file-error.ts'
import { linkProblem } from './link-target.ts'
import { comparePaths } from './path-order.ts'

/** One file (or link that stays inside) of a folder. */
export interface TreeFile {
  /** Relative, with forward slashes. */
  readonly path: string
  readonly size: number
  readonly executable: boolean
  readonly sha256: string
  /** Where a link points; `size` and `sha256` are then those of this text. */
  readonly link?: string
}

/**
 * Every file below a folder, in the order of the bytes of its path. Refuses what is neither file, folder nor
 * a link that stays inside; with `anyLinks`, a link may lead anywhere.
 */
export function listTree(
  folder: string,
  isSkipped?: (path: string) => boolean,
  anyLinks = false,
): TreeFile[] {
  const { files, unsafe: found } = surveyTree(folder, isSkipped, anyLinks)
  const [first] = found
  if (first !== undefined) throw first
  return files
}

/**
 * The same, where one that is refused does not hide the others. `known` are files that whoever wrote them described
 * then: they are not read again.
 */
export function surveyTree(
  folder: string,
  isSkipped?: (path: string) => boolean,
  anyLinks = false,
  known: readonly TreeFile[] = [],
): { readonly files: TreeFile[]; readonly unsafe: readonly OrlaError[] } {
  const refused: OrlaError[] = []
  const described = new Map(known.map((file) => [file.path, file]))
  try {
    const files = walk(folder, '', isSkipped).flatMap((path) => {
      const found = described.get(path) ?? describe(folder, path, anyLinks)
      if (!(found instanceof OrlaError)) return [found]
      refused.push(found)
      return []
    })
    return { files: files.sort((a, b) => comparePaths(a.path, b.path)), unsafe: refused }
  } catch (error) {
    throw asFileError(error, `read ${folder}`)
  }
}

/** Folders are walked, everything else is returned. */
export function walk(
  folder: string,
  below: string,
  isSkipped: (path: string) => boolean = () => false,
): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry: Dirent) => {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (isSkipped(path)) return []
    return entry.isDirectory() ? walk(folder, path, isSkipped) : [path]
  })
}

function describe(folder: string, path: string, anyLinks: boolean): TreeFile | OrlaError {
  const file = join(folder, path)
  const stats = lstatSync(file)
  if (stats.isSymbolicLink()) return describeLink(folder, path, anyLinks)
  if (!stats.isFile()) return unsafe(folder, path, 'is neither a file nor a folder')
  return { path, executable: (stats.mode & 0o111) !== 0, ...hashFile(file) }
}

function describeLink(folder: string, path: string, anyLinks: boolean): TreeFile | OrlaError {
  const link = readlinkSync(join(folder, path))
  const problem = anyLinks ? undefined : linkProblem(path, link)
  if (problem !== undefined) return unsafe(folder, path, problem)
  return { path, size: Buffer.byteLength(link), executable: false, sha256: sha256(link), link }
}

/** One for all: nothing else happens while a file is read. */
const CHUNK = Buffer.allocUnsafeSlow(64 * 1024)

export function hashFile(file: string): { readonly size: number; readonly sha256: string } {
  const fd = openSync(file, 'r')
  try {
    let size = 0
    for (let read = 1; read > 0 && size < CHUNK.length; size += read)
      read = readSync(fd, CHUNK, size, CHUNK.length - size, null)
    const first = CHUNK.subarray(0, size)
    if (size < CHUNK.length) return { size, sha256: sha256(first) }
    const hash = createHash('sha256').update(first)
    for (;;) {
      const read = readSync(fd, CHUNK)
      if (read === 0) return { size, sha256: hash.digest('hex') }
      hash.update(CHUNK.subarray(0, read))
      size += read
    }
  } finally {
    closeSync(fd)
  }
}

function unsafe(folder: string, path: string, why: string): OrlaError {
  return new OrlaError('E_UNSAFE_TREE', `${folder}: ${escapeControls(JSON.stringify(path))} ${why}`)
}
