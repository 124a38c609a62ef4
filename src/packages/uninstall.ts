import { join } from 'node:path'
import { OrlaError } from '../model/index.ts'
import { moveAway, removeIfEmpty, sweepStaging, withFolderLock } from '../platform/index.ts'
import { type InstalledVersion, installedVersions } from './installed.ts'
import { removeFromLock } from './lock.ts'
import type { Places } from './places.ts'

/** Removes one version of a package, or all of them. Resolves to what was removed. */
export async function uninstall(
  name: string,
  version: string | undefined,
  places: Places,
): Promise<InstalledVersion[]> {
  return withFolderLock(join(places.toolsDir, '.orla-lock'), async () => {
    sweepStaging(places.toolsDir)
    const there = installedVersions(places.toolsDir, name)
    const gone = version === undefined ? there : there.filter((one) => one.version === version)
    if (gone.length === 0) throw notInstalled(name, version, there)
    // The lock first: a restore after an interruption must not bring back what was to go.
    removeFromLock(
      places.lockFile,
      (entry) => entry.name === name && gone.some((one) => one.version === entry.version),
    )
    for (const { folder } of gone) moveAway(places.toolsDir, folder)
    removeIfEmpty(join(places.toolsDir, name))
    return gone
  })
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
    hint: `installed: ${there.map((one) => one.version).join(', ')}`,
  })
}
