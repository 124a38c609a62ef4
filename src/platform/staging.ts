import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { asFileError } from './file-error.ts'
import { listFolder, readTextIfThere, removeFile, writeFileAtomic } from './files.ts'
import { OWNER_PATTERN, ownerMark, ownerState } from './owner.ts'
import { syncFolder, syncTree } from './sync.ts'

/** A folder that is filled out of sight and appears at its place whole, or not at all. */
export interface Staging {
  readonly dir: string
  /**
   * Moves `dir` to a path below the root; what was there is replaced. Everything is on the disk before.
   * Ended in the middle, `sweepStaging` brings back what was there.
   */
  commit(finalPath: string): Promise<void>
  /** Removes what was staged; nothing after a commit. */
  discard(): void
}

/** The staging folder is beside its destination, so that the move is one rename on one disk. */
export function openStaging(root: string): Staging {
  const folder = join(root, `${STAGING_PREFIX}${ownerMark()}-${randomBytes(6).toString('hex')}`)
  const dir = join(folder, NEW)
  try {
    mkdirSync(dir, { recursive: true })
  } catch (error) {
    throw asFileError(error, `write to ${root}`)
  }
  return {
    dir,
    async commit(finalPath) {
      const place = relative(resolve(root), resolve(finalPath))
      if (place === '' || place === '..' || place.startsWith(`..${sep}`))
        throw new Error(`${finalPath} is not below ${root}`)
      try {
        await syncTree(dir)
        replace(folder, place, finalPath)
      } catch (error) {
        throw asFileError(error, `write ${finalPath}`)
      }
      removeStaging(folder)
    },
    discard: () => removeStaging(folder),
  }
}

/**
 * Clears what ended processes left below the root, and puts back what they were about to replace; true when
 * something came back.
 */
export function sweepStaging(root: string): boolean {
  let restored = false
  for (const name of listFolder(root)) {
    const owner = NAME.exec(name)?.[1]
    const folder = join(root, name)
    if (owner === undefined || !isLeftBehind(folder, owner)) continue
    const place = readTextIfThere(join(folder, PLACE))
    if (place !== undefined && isThere(join(folder, OLD)) && !isThere(join(root, place))) {
      mkdirSync(dirname(join(root, place)), { recursive: true })
      renameSync(join(folder, OLD), join(root, place))
      restored = true
    }
    removeStaging(folder)
  }
  return restored
}

/** What the folders are called that installs work in. */
export const STAGING_PREFIX = '.orla-staging-'
const NAME = new RegExp(`^\\.orla-staging-(${OWNER_PATTERN})-[0-9a-f]{12}$`)
const NEW = 'new'
const OLD = 'old'
/** Where `old` belongs, relative to the root. */
const PLACE = 'place'
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

function replace(folder: string, place: string, finalPath: string): void {
  const parent = dirname(finalPath)
  const made = mkdirSync(parent, { recursive: true })
  const old = join(folder, OLD)
  const replaces = isThere(finalPath)
  try {
    if (replaces) {
      writeFileAtomic(join(folder, PLACE), place)
      renameSync(finalPath, old)
    }
    renameSync(join(folder, NEW), finalPath)
  } catch (error) {
    if (replaces && !isThere(finalPath) && isThere(old)) renameSync(old, finalPath)
    if (made !== undefined) removeIfEmpty(parent)
    throw error
  }
  syncFolder(parent)
}

/** First the note: half of an old version must never come back. A rest that cannot be removed is swept later. */
function removeStaging(folder: string): void {
  try {
    removeFile(join(folder, PLACE))
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // It is out of sight, and the next sweep tries again.
  }
}

function isLeftBehind(folder: string, owner: string): boolean {
  const state = ownerState(owner)
  if (state !== 'elsewhere') return state === 'gone'
  const modifiedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs
  return modifiedMs !== undefined && Date.now() - modifiedMs > FORGOTTEN_AFTER_MS
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Someone has put something there.
  }
}
