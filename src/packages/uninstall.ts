import { dirname, join } from 'node:path'
import { newestFirst } from '../formats/index.ts'
import { OrlaError } from '../model/index.ts'
import { isFolder, isLink, moveAway, removeIfEmpty, sweepStaging, withFolderLock } from '../platform/index.ts'
import { type InstalledVersion, installedVersions } from './installed.ts'
import { folderOf, mcpDirOf, rootOf } from './layout.ts'
import { readLocks, removeFromLocks } from './locks.ts'
import type { Places } from './places.ts'

/** One version of a package, or all of them. */
export interface ToRemove {
  readonly name: string
  readonly version?: string
}

/** Removes packages, all of them or, when one is not there, none. Resolves to what was removed. */
export async function uninstall(asked: readonly ToRemove[], places: Places): Promise<InstalledVersion[]> {
  return withFolderLock(join(places.toolsDir, '.orla-lock'), async () => {
    sweepStaging(places.toolsDir)
    sweepStaging(mcpDirOf(places))
    const found = new Map(asked.flatMap((one) => find(one, places)).map((one) => [one.folder, one]))
    const gone = [...found.values()]
    // The lock first: a restore after an interruption must not bring back what was to go.
    removeFromLocks(places, ({ name, version }) =>
      gone.some((one) => one.name === name && one.version === version),
    )
    for (const { name, folder } of gone) {
      const root = rootOf(places, name)
      if (isFolder(folder) || isLink(folder)) moveAway(root, folder)
      // Up to the root, which stays: what lies between is nothing without a package in it.
      for (let above = dirname(folder); above.startsWith(`${root}/`); above = dirname(above))
        removeIfEmpty(above)
    }
    return gone
  })
}

/** What lies there, and what only the lock remembers. */
function find({ name, version }: ToRemove, places: Places): InstalledVersion[] {
  const there = installedVersions(rootOf(places, name), name)
  const locked = readLocks(places)
    .packages.filter((entry) => entry.name === name && !there.some((one) => one.version === entry.version))
    .map((entry) => ({
      name,
      version: entry.version,
      folder: folderOf(places, name, entry.version),
      linked: false,
    }))
  const all = [...there, ...locked]
  const found = version === undefined ? all : all.filter((one) => one.version === version)
  if (found.length === 0) throw notInstalled(name, version, there)
  return found
}

function notInstalled(
  name: string,
  version: string | undefined,
  there: readonly InstalledVersion[],
): OrlaError {
  if (version === undefined || there.length === 0) {
    return new OrlaError('E_NOT_FOUND', `${name} is not installed`, { hint: '`orla list` shows what is' })
  }
  return new OrlaError('E_NOT_FOUND', `version ${version} of ${name} is not installed`, {
    hint: `installed: ${newestFirst(there.map((one) => one.version)).join(', ')}`,
  })
}
