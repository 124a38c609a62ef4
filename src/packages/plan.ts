import {
  addedPermissions,
  type CalledTool,
  calledPermissions,
  effectivePermissions,
} from '../formats/index.ts'
import type { Enforcement, Grant, GrantManner } from '../model/index.ts'
import type { Candidate } from './candidate.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { installedVersions, isIntact } from './installed.ts'
import { folderOf, rootOf } from './layout.ts'
import { isSameSource, sourceOf } from './pin-words.ts'
import type { PlannedPackage, Ports } from './ports.ts'

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

/** Finds what a tool may do and call: in what is about to be installed, else in what is served. */
export type FindTool = (name: string) => CalledTool | undefined

export interface Tools {
  readonly after: FindTool
  readonly before: FindTool
}

export async function plan(
  candidate: Candidate,
  options: InstallOptions,
  deps: Pick<InstallDeps, 'places' | 'memory' | 'ports'>,
  tools: Tools,
): Promise<PlannedPackage> {
  const { places, ports } = deps
  const { manifest, pin, requiredBy, bringsTests, signature, warning, calls } = candidate
  const { name, version } = manifest
  const earlier = acceptedBefore(candidate, ports)
  const newPermissions = addedPermissions(
    earlier.flatMap(({ permissions }) => permissions),
    manifest.permissions,
  )
  const action = actionOf(candidate, options, deps)
  if (warning !== undefined && action !== 'keep') ports.warn(warning)
  const hooks = manifest.hooks.postInstall === undefined ? [] : [manifest.hooks.postInstall]
  const enforcement = await ports.enforcement?.(manifest)
  const runsHook = action !== 'keep' && hooks.length > 0
  const called = calledBy(name, calls, tools)
  const callsMore = action !== 'keep' && called.newCallPermissions.length > 0
  return {
    name,
    version,
    action,
    from: sourceOf(pin),
    signature,
    folder: folderOf(places, name, version),
    permissions: effectivePermissions(manifest.permissions),
    declaresPermissions: manifest.permissions !== null,
    newPermissions,
    hooks,
    runsTests: options.test && action !== 'keep' && bringsTests,
    ...(enforcement && { enforcement }),
    needsConsent: newPermissions.length > 0 || callsMore || runsHook || isNewlyUnheld(enforcement, earlier),
    ...(requiredBy === undefined ? {} : { requiredBy }),
    ...(manifest.mcp.inputSchema && { inputSchema: manifest.mcp.inputSchema }),
    ...called,
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

/** Where nothing holds a package back that was seen to hold one, even one that asks for nothing needs a yes. */
function isNewlyUnheld(enforcement: Enforcement | undefined, earlier: readonly Grant[]): boolean {
  if (enforcement?.backend !== 'none' && enforcement?.backend !== 'seatbelt') return false
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
