import { addedPermissions } from '../formats/index.ts'
import type { Candidate } from './candidate.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { installedVersions, isIntact } from './installed.ts'
import { folderOf, rootOf } from './layout.ts'
import { isSameSource, sourceOf } from './pin-words.ts'
import type { PlannedPackage } from './ports.ts'

/** What is there now decides what has to be done. */
export function actionOf(
  { manifest, digest }: Candidate,
  { force }: InstallOptions,
  { places, memory }: Pick<InstallDeps, 'places' | 'memory'>,
): PlannedPackage['action'] {
  const there = installedVersions(rootOf(places, manifest.name), manifest.name)
  const same = there.find(({ version }) => version === manifest.version)
  if (same === undefined) return 'install'
  const { receipt, folder } = same
  const isSame = receipt?.digest === digest && receipt.hook !== 'pending'
  const isVouched = isSame && (memory?.vouches(folder, receipt) ?? true)
  return isVouched && !force && isIntact(same) ? 'keep' : 'reinstall'
}

export function plan(
  candidate: Candidate,
  options: InstallOptions,
  deps: Pick<InstallDeps, 'places' | 'memory'>,
): PlannedPackage {
  const { places } = deps
  const { manifest, pin, requiredBy, signature } = candidate
  const { name, version } = manifest
  const there = installedVersions(rootOf(places, name), name)
  const permissions = manifest.permissions ?? []
  // What was said about one source counts for no other.
  const accepted = there.flatMap(({ receipt }) =>
    receipt !== undefined && isSameSource(receipt.pin, pin) ? receipt.permissions : [],
  )
  return {
    name,
    version,
    action: actionOf(candidate, options, deps),
    from: sourceOf(pin),
    signature,
    folder: folderOf(places, name, version),
    permissions,
    newPermissions: addedPermissions(accepted, permissions),
    hooks: manifest.hooks.postInstall === undefined ? [] : [manifest.hooks.postInstall],
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}
