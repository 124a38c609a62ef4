import { addedPermissions, effectivePermissions } from '../formats/index.ts'
import type { Enforcement, Grant, GrantManner } from '../model/index.ts'
import type { Candidate } from './candidate.ts'
import type { InstallOptions } from './install.ts'
import { installedVersions, isIntact } from './installed.ts'
import { folderOf, rootOf } from './layout.ts'
import { isSameSource, sourceOf } from './pin-words.ts'
import type { Places } from './places.ts'
import type { PlannedPackage, Ports } from './ports.ts'
import { mayTest } from './try-tests.ts'

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

export async function plan(
  candidate: Candidate,
  options: InstallOptions,
  places: Places,
  ports: Pick<Ports, 'grants' | 'enforcement'>,
): Promise<PlannedPackage> {
  const { manifest, pin, requiredBy, paths } = candidate
  const { name, version } = manifest
  const earlier = acceptedBefore(candidate, ports)
  const newPermissions = addedPermissions(
    earlier.flatMap(({ permissions }) => permissions),
    manifest.permissions,
  )
  const action = actionOf(candidate, options, places)
  const hooks = manifest.hooks.postInstall === undefined ? [] : [manifest.hooks.postInstall]
  const enforcement = await ports.enforcement?.(manifest)
  const runsHook = action !== 'keep' && hooks.length > 0
  return {
    name,
    version,
    action,
    from: sourceOf(pin),
    folder: folderOf(places, name, version),
    permissions: effectivePermissions(manifest.permissions),
    declaresPermissions: manifest.permissions !== null,
    newPermissions,
    hooks,
    runsTests: options.test && action !== 'keep' && paths.some(mayTest),
    ...(enforcement && { enforcement }),
    needsConsent: newPermissions.length > 0 || runsHook || isNewlyUnheld(enforcement, earlier),
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}

/** What was said about one source counts for no other; what was said about this very content counts. */
function acceptedBefore({ manifest, pin, digest }: Candidate, { grants }: Pick<Ports, 'grants'>): Grant[] {
  const { name, version } = manifest
  return grants
    .all()
    .filter(
      (grant) =>
        grant.name === name &&
        ((grant.version === version && grant.digest === digest) ||
          (grant.pin !== undefined && isSameSource(grant.pin, pin))),
    )
}

/** Where nothing holds a package back, even one that asks for nothing needs a yes. */
function isNewlyUnheld(enforcement: Enforcement | undefined, earlier: readonly Grant[]): boolean {
  if (enforcement?.backend !== 'none') return false
  const told = new Set(earlier.flatMap(({ unenforced }) => unenforced))
  return enforcement.unenforced.some((rule) => !told.has(rule))
}

/** What is written down when the plan is accepted; undefined when it was before. */
export function grantFor(
  { manifest, pin, digest }: Candidate,
  { permissions, enforcement }: PlannedPackage,
  how: GrantManner,
  { grants, now }: Pick<Ports, 'grants' | 'now'>,
): Grant | undefined {
  const { name, version } = manifest
  const unenforced = enforcement?.unenforced ?? []
  const known = grants
    .all()
    .find((grant) => grant.name === name && grant.version === version && grant.digest === digest)
  const isCovered =
    known !== undefined &&
    permissions.every((word) => known.permissions.includes(word)) &&
    unenforced.every((rule) => known.unenforced.includes(rule))
  if (isCovered && known.pin !== undefined) return undefined
  // What was accepted before the install could vouch for where it came from stays accepted as it was.
  const said = isCovered ? known : { permissions, unenforced, accepted_at: now().toISOString(), how }
  return { ...said, name, version, digest, pin }
}
