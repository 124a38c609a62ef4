import type { FoundPackage } from '../../catalog/index.ts'
import { compareVersions, newestVersion } from '../../formats/index.ts'
import { rootOf } from '../../packages/index.ts'
import type { PackageContext } from './context.ts'
import { findPackages, missingWithout } from './found.ts'

/**
 * The versions nobody would miss: older than the newest of their name, not the one that serves, and not needed by
 * another package. What was linked or put there by hand is its owner's to remove.
 */
export async function oldVersions(
  { loaded, places }: PackageContext,
  names: readonly string[],
): Promise<{ readonly name: string; readonly version: string }[]> {
  const all = await findPackages(loaded)
  const gone = new Set<string>()
  const old = all
    .filter(
      ({ manifest, folder }) => isAsked(manifest.name) && isBelow(rootOf(places, manifest.name), folder),
    )
    .filter((one) => isOld(one, all))
    .sort((a, b) => compareVersions(a.manifest.version, b.manifest.version))
  for (const { folder } of old) {
    gone.add(folder)
    if (missingWithout(all, gone).length > 0) gone.delete(folder)
  }
  return old
    .filter(({ folder }) => gone.has(folder))
    .map(({ manifest: { name, version } }) => ({ name, version }))

  function isAsked(name: string): boolean {
    return names.length === 0 || names.includes(name)
  }
}

function isBelow(root: string, folder: string): boolean {
  return folder.startsWith(`${root}/`)
}

function isOld({ manifest, scope, state, linked, pin }: FoundPackage, all: readonly FoundPackage[]): boolean {
  if (state === 'in use' || linked || pin === undefined) return false
  const versions = all
    .filter((one) => one.scope === scope && one.manifest.name === manifest.name)
    .map((one) => one.manifest.version)
  const newest = newestVersion(versions)
  return newest !== undefined && compareVersions(manifest.version, newest) < 0
}
