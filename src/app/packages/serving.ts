import { join } from 'node:path'
import { isPreRelease, newestVersion } from '../../formats/index.ts'
import { type InstalledPackage, installedVersions, rootOf } from '../../packages/index.ts'
import type { PackageContext } from './context.ts'

/** Says of which packages another version goes on serving. Resolves to their names. */
export function tellWhatServes(
  context: PackageContext,
  installed: readonly Pick<InstalledPackage, 'name' | 'version'>[],
): string[] {
  return installed.flatMap(({ name, version }) => {
    const other = servingVersion(context, name)
    if (other === undefined || other.version === version) return []
    const why = other.isChosen ? 'was chosen' : isPreRelease(version) ? 'is stable' : 'is newer'
    context.conversation.warn(
      `${name} ${other.version} still serves, because it ${why}; \`orla use ${name}@v${version}\` changes that`,
    )
    return [name]
  })
}

/** The chosen version of a package, else its newest: what discovery decides, for one name and by folders alone. */
function servingVersion(
  { loaded, places }: PackageContext,
  name: string,
): { readonly version: string; readonly isChosen: boolean } | undefined {
  const versionsIn = (root: string) => installedVersions(root, name).map(({ version }) => version)
  const own = versionsIn(rootOf(places, name))
  const chosen = loaded.config.versions[name]?.replace(/^v/, '')
  if (chosen !== undefined && [...own, ...versionsIn(join(places.home, 'tools'))].includes(chosen)) {
    return { version: chosen, isChosen: true }
  }
  const version = newestVersion(own)
  return version === undefined ? undefined : { version, isChosen: false }
}
