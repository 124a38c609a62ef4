import { addedPermissions, type CalledTool, calledPermissions } from '../formats/index.ts'
import type { Candidate } from './candidate.ts'
import type { InstallOptions } from './install.ts'
import { installedVersions, isIntact } from './installed.ts'
import { folderOf, rootOf } from './layout.ts'
import { isSameSource, sourceOf } from './pin-words.ts'
import type { Places } from './places.ts'
import type { PlannedPackage } from './ports.ts'

/** What is there now decides what has to be done. */
export function actionOf(
  { manifest, digest, paths }: Candidate,
  { force }: InstallOptions,
  places: Places,
): PlannedPackage['action'] {
  const there = installedVersions(rootOf(places, manifest.name), manifest.name)
  const same = there.find(({ version }) => version === manifest.version)
  if (same === undefined) return 'install'
  const isSame = same.receipt?.digest === digest && same.receipt.hook !== 'pending'
  return isSame && !force && isIntact(same, manifest, paths) ? 'keep' : 'reinstall'
}

/** Finds what a tool may do and call: in what is about to be installed, else in what is served. */
export type FindTool = (name: string) => CalledTool | undefined

export interface Tools {
  readonly after: FindTool
  readonly before: FindTool
}

export function plan(
  candidate: Candidate,
  options: InstallOptions,
  places: Places,
  tools: Tools,
): PlannedPackage {
  const { manifest, pin, requiredBy, calls } = candidate
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
    action: actionOf(candidate, options, places),
    from: sourceOf(pin),
    folder: folderOf(places, name, version),
    permissions,
    newPermissions: addedPermissions(accepted, permissions),
    hooks: manifest.hooks.postInstall === undefined ? [] : [manifest.hooks.postInstall],
    ...(requiredBy === undefined ? {} : { requiredBy }),
    ...calledBy(name, calls, tools),
  }
}

/** A chain that is there was accepted with what its tools may do now. */
function calledBy(
  name: string,
  calls: readonly string[],
  { after, before }: Tools,
): Pick<PlannedPackage, 'calls' | 'callPermissions' | 'newCallPermissions'> {
  const callPermissions = calledPermissions(calls, after)
  const wordsBefore = calledPermissions(before(name)?.calls ?? [], before).map(({ word }) => word)
  const words = callPermissions.map(({ word }) => word)
  return { calls, callPermissions, newCallPermissions: addedPermissions(wordsBefore, words) }
}
