import { lstatSync, renameSync, rmdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { asFileError } from './file-error.ts'
import { openStaging } from './staging.ts'

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
}

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

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else lives there.
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
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
