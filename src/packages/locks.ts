import { join } from 'node:path'
import { isToolId } from '../formats/index.ts'
import type { Lock, LockEntry } from '../model/index.ts'
import { removeFile } from '../platform/index.ts'
import { installedVersions } from './installed.ts'
import { mcpDirOf } from './layout.ts'
import { addToLock, isSame, readLock, removeFromLock } from './lock.ts'
import type { Places } from './places.ts'

/**
 * Where .mcpkg packages are remembered that were installed without a project: they serve one folder, while the lock
 * of everyone's packages knows no folders. It goes on counting when the folder becomes a project.
 */
const folderLock = (places: Places) => join(mcpDirOf(places), 'orla.lock')

/** What is locked here. */
export function readLocks(places: Places): Lock {
  const shared = readLock(places.lockFile)
  const own = readLock(folderLock(places)).packages
  const others = shared.packages.filter((entry) => isMeant(entry, places))
  const isNew = (entry: LockEntry) => !others.some((one) => isSame(one, entry))
  return { ...shared, packages: [...others, ...own.filter(isNew)] }
}

/** The lock of everyone's packages may name .mcpkg packages of any folder, from when it was the only one. */
function isMeant(entry: LockEntry, places: Places): boolean {
  if (places.scope === 'project' || !isToolId(entry.name)) return true
  return installedVersions(mcpDirOf(places), entry.name).some((one) => isSame(one, entry))
}

/** Adds or replaces entries, each in the file that is for it. */
export function addToLocks(places: Places, entries: readonly LockEntry[]): void {
  const isOfFolder = ({ name }: LockEntry) => places.scope === 'global' && isToolId(name)
  const ofFolder = entries.filter(isOfFolder)
  const others = entries.filter((entry) => !isOfFolder(entry))
  if (others.length > 0) addToLock(places.lockFile, others)
  if (ofFolder.length > 0) addToLock(folderLock(places), ofFolder)
}

export function removeFromLocks(places: Places, gone: (entry: LockEntry) => boolean): void {
  const own = folderLock(places)
  for (const file of [places.lockFile, own]) {
    if (readLock(file).packages.some(gone)) removeFromLock(file, gone)
  }
  // A folder in which nothing is installed any more is left as it was found.
  if (readLock(own).packages.length === 0) removeFile(own)
}
