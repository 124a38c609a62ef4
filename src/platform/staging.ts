import { lstatSync, renameSync, rm, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { asFileError } from './file-error.ts'
import { listFolder, readTextIfThere, removeFile, writeFileAtomic } from './files.ts'
import { makePath } from './make-path.ts'
import { OWNER_PATTERN, ownerMark, ownerState } from './owner.ts'
import { syncFolder, syncTree } from './sync.ts'
import { uniqueName } from './unique-name.ts'

/** A folder that is filled out of sight and appears at its place whole, or not at all. */
export interface Staging {
  readonly dir: string
  /** A file directly in `dir`. Like everything there it is on the disk once it is in its place. */
  write(name: string, text: string): void
  /**
   * Moves `dir` to a path below the root; what was there is replaced. Everything is on the disk before.
   * Ended in the middle, `sweepStaging` brings back what was there.
   */
  commit(finalPath: string): Promise<void>
  /** The same, but what was there is kept aside until someone says that the new one stays. */
  swap(finalPath: string): Promise<Swap>
  /** Removes what was staged; nothing after a commit. */
  discard(): void
}

/** Something new in its place that may have to go again. A process that ends without a word means `undo`. */
export interface Swap {
  /** Also removes what was there before, which may take a while. */
  finish(): Promise<void>
  undo(): void
}

/** The staging folder is beside its destination, so that the move is one rename on one disk. */
export function openStaging(root: string): Staging {
  const folder = join(root, `${STAGING_PREFIX}${ownerMark()}-${uniqueName()}`)
  const dir = join(folder, NEW)
  try {
    makePath(dir)
  } catch (error) {
    throw asFileError(error, `write to ${root}`)
  }
  async function swap(finalPath: string): Promise<Swap> {
    const place = relative(resolve(root), resolve(finalPath))
    if (place === '' || place === '..' || place.startsWith(`..${sep}`))
      throw new Error(`${finalPath} is not below ${root}`)
    try {
      if (!isLink(dir)) await syncTree(dir)
      replace(folder, place, finalPath)
    } catch (error) {
      throw asFileError(error, `write ${finalPath}`)
    }
    return {
      finish: () => removeReplaced(folder),
      undo() {
        putBack(folder, finalPath)
        removeStaging(folder)
      },
    }
  }
  return {
    dir,
    write(name, text) {
      const file = join(dir, name)
      try {
        writeFileSync(file, text)
      } catch (error) {
        throw asFileError(error, `write ${file}`)
      }
    },
    swap,
    commit: async (finalPath) => (await swap(finalPath)).finish(),
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
    if (owner === undefined || !isLeftBehind(join(root, name), owner)) continue
    const folder = claim(root, name)
    if (folder === undefined) continue
    const [place, mark] = readTextIfThere(join(folder, PLACE))?.split('\n') ?? []
    if (place !== undefined && isThere(join(folder, OLD))) {
      const finalPath = join(root, place)
      const isFree = !isThere(finalPath)
      if (isFree || (mark !== undefined && mark === markOf(finalPath))) {
        putBack(folder, finalPath)
        restored = true
      }
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
/** What was in the place and has to go. */
const UNDONE = 'undone'
/** Where `old` belongs, relative to the root; then what tells the one that took its place from any other. */
const PLACE = 'place'
const FORGOTTEN_AFTER_MS = 24 * 3_600_000

function replace(folder: string, place: string, finalPath: string): void {
  const parent = dirname(finalPath)
  const made = makePath(parent)
  const old = join(folder, OLD)
  const replaces = isThere(finalPath)
  try {
    if (replaces) {
      writeFileAtomic(join(folder, PLACE), `${place}\n${markOf(join(folder, NEW)) ?? ''}`)
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

/** The new one goes, the old one comes back, each in one rename. */
function putBack(folder: string, finalPath: string): void {
  const undone = join(folder, UNDONE)
  try {
    if (isThere(finalPath)) renameSync(finalPath, undone)
    if (isThere(join(folder, OLD))) {
      makePath(dirname(finalPath))
      renameSync(join(folder, OLD), finalPath)
    }
    removeIfEmpty(dirname(finalPath))
  } catch (error) {
    throw asFileError(error, `write ${finalPath}`)
  }
}

/** Of several that sweep at once one gets the folder, by giving it its own name. */
function claim(root: string, name: string): string | undefined {
  const folder = join(root, `${STAGING_PREFIX}${ownerMark()}-${uniqueName()}`)
  try {
    renameSync(join(root, name), folder)
    return folder
  } catch {
    return undefined // another one was quicker, or it may not be touched
  }
}

/** The same before and after a rename, and different for anything else that is there. */
function markOf(path: string): string | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString()
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink()
}

/** The same for a whole old version, by several at once. */
async function removeReplaced(folder: string): Promise<void> {
  try {
    // Nothing was replaced.
    if (removeIfEmpty(folder)) return
    removeFile(join(folder, PLACE))
    await new Promise<void>((resolve, reject) => {
      rm(folder, { recursive: true, force: true }, (error) => (error ? reject(error) : resolve()))
    })
  } catch {
    // It is out of sight, and the next sweep tries again.
  }
}

/** First the note: half of an old version must never come back. A rest that cannot be removed is swept later. */
function removeStaging(folder: string): void {
  try {
    if (!isThere(folder)) return
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

function removeIfEmpty(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch {
    return false // someone has put something there
  }
}
