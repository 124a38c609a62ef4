import { cpSync, lstatSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { asFileError } from './file-error.ts'
import { openStaging } from './staging.ts'

/** Gone at once, in one rename; the removal itself may take its time. A link goes, not what it points to. */
export function moveAway(root: string, path: string): void {
  const staging = openStaging(root)
  try {
    rmSync(staging.dir, { recursive: true, force: true })
    renameSync(path, staging.dir)
  } catch (error) {
    throw asFileError(error, `remove ${path}`)
  } finally {
    staging.discard()
  }
}

/** A copy of everything in a folder, links as they are; sockets and pipes stay behind. */
export function duplicateFolder(from: string, to: string): void {
  const isKept = (path: string) => {
    const stats = lstatSync(path)
    return stats.isFile() || stats.isDirectory() || stats.isSymbolicLink()
  }
  try {
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: isKept })
  } catch (error) {
    throw asFileError(error, `copy ${from}`)
  }
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else lives there.
  }
}

export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    throw asFileError(error, `remove ${folder}`)
  }
}

/** A link at `path`, below `root`, to `target`; it replaces whatever is there. */
export async function linkFolder(root: string, target: string, path: string): Promise<void> {
  const staging = openStaging(root)
  try {
    rmdirSync(staging.dir)
    symlinkSync(target, staging.dir)
    await staging.commit(path)
  } catch (error) {
    throw asFileError(error, `link ${path}`)
  } finally {
    staging.discard()
  }
}
