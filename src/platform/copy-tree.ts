import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { asFileError } from './file-error.ts'
import { linkProblem } from './link-target.ts'
import { walk } from './tree.ts'
import { TREE_LIMITS, type TreeLimits } from './tree-bounds.ts'
import { createTreeWriter, type TreeWriter } from './tree-writer.ts'

export interface CopyTreeOptions {
  /** By path relative to `from`; a skipped folder is skipped with everything in it. */
  readonly isSkipped?: (path: string) => boolean
  readonly limits?: TreeLimits
}

/**
 * Copies a package folder into a new one, by the rules every other source has: plain files (644 or 755), links
 * that stay inside, nothing else. On failure the destination is removed.
 */
export function copyTree(from: string, destination: string, options: CopyTreeOptions = {}): void {
  let paths: string[]
  try {
    paths = walk(from, '', options.isSkipped)
  } catch (error) {
    throw asFileError(error, `read ${from}`)
  }
  const writer = createTreeWriter(destination, from, options.limits ?? TREE_LIMITS)
  try {
    for (const path of paths) {
      writer.count()
      copyOne(from, path, writer)
    }
  } catch (error) {
    throw writer.abandon(error)
  }
}

function copyOne(from: string, path: string, writer: TreeWriter): void {
  const file = join(from, path)
  const stats = lstatSync(file)
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(file)
    const problem = linkProblem(path, target)
    if (problem !== undefined) throw writer.refuse(path, problem)
    writer.link(path, target)
    return
  }
  if (!stats.isFile()) throw writer.refuse(path, 'is neither a file nor a folder')
  copyFile(file, path, writer)
}

function copyFile(file: string, path: string, writer: TreeWriter): void {
  const chunk = Buffer.allocUnsafe(64 * 1024)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const sink = writer.file(path, (fstatSync(fd).mode & 0o111) !== 0)
    for (let read = readSync(fd, chunk); read > 0; read = readSync(fd, chunk)) {
      sink.write(chunk.subarray(0, read))
    }
    sink.close()
  } finally {
    closeSync(fd)
  }
}
