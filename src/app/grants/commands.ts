import type { FoundPackage } from '../../catalog/index.ts'
import { effectivePermissions } from '../../formats/index.ts'
import { type Grant, nearest, OrlaError } from '../../model/index.ts'
import { type PlannedPackage, parseSpec, sourceOf } from '../../packages/index.ts'
import { type ConfigRequest, loadConfig, locateProject } from '../config.ts'
import type { Conversation } from '../packages/context.ts'
import { findPackages } from '../packages/found.ts'
import type { World } from '../world.ts'
import { type GrantBook, openGrants } from './book.ts'
import type { Enforce } from './consent.ts'

export interface ListedGrants {
  readonly grants: readonly Grant[]
  /** Installed here, and accepted by nobody. */
  readonly waiting: readonly WaitingPackage[]
}

export interface WaitingPackage {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly permissions: readonly string[]
}

export async function listGrants(world: World, request: ConfigRequest, name?: string): Promise<ListedGrants> {
  const loaded = await loadConfig(world, request)
  const all = openGrants(loaded.home).all()
  const waiting = (await findPackages(loaded)).filter(
    ({ manifest, digest }) => digest !== undefined && findGrant(all, manifest, digest) === undefined,
  )
  const isWanted = (one: { readonly name: string }) => name === undefined || one.name === name
  const listed = {
    grants: all.filter(isWanted),
    waiting: waiting
      .map(({ manifest, folder }) => ({
        name: manifest.name,
        version: manifest.version,
        folder,
        permissions: effectivePermissions(manifest.permissions),
      }))
      .filter(isWanted),
  }
  if (name === undefined || listed.grants.length + listed.waiting.length > 0) return listed
  throw nothingAbout(
    name,
    [...all, ...waiting.map(({ manifest }) => manifest)].map((one) => one.name),
  )
}

export interface GrantReport {
  readonly name: string
  readonly version: string
  /** `own`: placed or linked by hand, so that it needs no grant. */
  readonly status: 'granted' | 'unchanged' | 'own'
  readonly permissions: readonly string[]
}

/** `orla grant NAME[@vVERSION] [WORD…]`: a person accepts what an installed package asks for, all or some of it. */
export async function grantPackage(
  world: World,
  request: ConfigRequest,
  [written = '', ...words]: readonly string[],
  conversation: Pick<Conversation, 'consent'>,
  enforcement?: Enforce,
): Promise<GrantReport> {
  const loaded = await loadConfig(world, request)
  const book = openGrants(loaded.home)
  const found = choose(await findPackages(loaded), nameOf(written))
  const { manifest, digest } = found
  const { name, version } = manifest
  const asked = effectivePermissions(manifest.permissions)
  if (digest === undefined) return { name, version, status: 'own', permissions: asked }
  for (const word of words) checkAsked(word, asked, name)
  const before = findGrant(book.all(), manifest, digest)
  const had = before?.permissions ?? []
  const permissions = asked.filter((word) => words.length === 0 || words.includes(word) || had.includes(word))
  const newPermissions = permissions.filter((word) => !had.includes(word))
  const enforced = await enforcement?.(manifest)
  const unenforced = enforced?.unenforced ?? []
  const isKnown = before !== undefined && unenforced.every((rule) => before.unenforced.includes(rule))
  if (isKnown && newPermissions.length === 0) return { name, version, status: 'unchanged', permissions }
  const planned: PlannedPackage = {
    name,
    version,
    action: 'grant',
    folder: found.folder,
    permissions,
    newPermissions,
    from: found.pin === undefined ? found.folder : sourceOf(found.pin),
    declaresPermissions: manifest.permissions !== null,
    hooks: [],
    runsTests: false,
    needsConsent: true,
    ...(enforced && { enforcement: enforced }),
  }
  if ((await conversation.consent({ packages: [planned] })) === undefined) {
    throw new OrlaError('E_REFUSED', 'nothing was granted', { hint: '--yes accepts the plan' })
  }
  // Where it came from is what its receipt says; an install that sees for itself writes that down.
  const pin = before?.pin === undefined ? {} : { pin: before.pin }
  const accepted_at = new Date().toISOString()
  await book.add([{ name, version, digest, ...pin, permissions, unenforced, accepted_at, how: 'grant' }])
  return { name, version, status: 'granted', permissions }
}

export interface RevokeReport {
  readonly name: string
  readonly version: string
  readonly taken: readonly string[]
  /** null when nothing of it may run any more. */
  readonly left: readonly string[] | null
}

/** `orla revoke NAME[@vVERSION] [WORD…]`: of every version unless one is named. Servers that run obey at once. */
export async function revokeGrants(
  world: World,
  request: ConfigRequest,
  [written = '', ...words]: readonly string[],
): Promise<RevokeReport[]> {
  const book = openGrants(locateProject(world, request).home)
  const wanted = nameOf(written)
  const isMeant = (grant: Grant) =>
    grant.name === wanted.name && (wanted.version === undefined || grant.version === wanted.version)
  checkGranted(book, isMeant, wanted.name, words)
  const reports: RevokeReport[] = []
  await book.change((grant) => {
    if (!isMeant(grant)) return grant
    const { name, version, permissions } = grant
    const left = words.length === 0 ? null : permissions.filter((word) => !words.includes(word))
    const taken = permissions.filter((word) => left === null || !left.includes(word))
    if (left !== null && taken.length === 0) return grant
    reports.push({ name, version, taken, left })
    return left === null ? undefined : { ...grant, permissions: left }
  })
  return reports
}

interface Wanted {
  readonly name: string
  readonly version?: string
}

function nameOf(written: string): Wanted {
  const spec = parseSpec(written)
  if (spec.kind !== 'name' || spec.registry !== undefined) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(written)} is not the name of an installed package`)
  }
  return spec.tag === undefined ? { name: spec.name } : { name: spec.name, version: spec.tag.slice(1) }
}

/** The version that was named, else the one that serves. */
function choose(packages: readonly FoundPackage[], { name, version }: Wanted): FoundPackage {
  const own = packages.filter(({ manifest }) => manifest.name === name)
  const found = own.filter(({ manifest, state }) =>
    version === undefined ? state === 'in use' : manifest.version === version,
  )
  const [chosen] = found.sort((a, b) => (a.state === 'in use' ? -1 : b.state === 'in use' ? 1 : 0))
  if (chosen !== undefined) return chosen
  const close = nearest(
    name,
    packages.map(({ manifest }) => manifest.name),
  )
  const versions = own.map(({ manifest }) => manifest.version).join(', ')
  const other = close === undefined ? '`orla list` shows what is installed' : `did you mean \`${close}\`?`
  throw new OrlaError(
    'E_NOT_FOUND',
    `${version === undefined ? name : `version ${version} of ${name}`} is not installed`,
    { hint: versions === '' ? other : `installed: ${versions}` },
  )
}

function findGrant(
  grants: readonly Grant[],
  { name, version }: { readonly name: string; readonly version: string },
  digest: string,
): Grant | undefined {
  return grants.find((one) => one.name === name && one.version === version && one.digest === digest)
}

function checkAsked(word: string, asked: readonly string[], name: string): void {
  if (asked.includes(word)) return
  throw new OrlaError('E_USAGE', `${name} does not ask for ${JSON.stringify(word)}`, {
    hint: asked.length === 0 ? 'it asks for nothing' : `it asks for ${asked.join(', ')}`,
  })
}

function checkGranted(
  book: GrantBook,
  isMeant: (grant: Grant) => boolean,
  name: string,
  words: readonly string[],
): void {
  const meant = book.all().filter(isMeant)
  if (meant.length === 0) {
    throw nothingAbout(
      name,
      book.all().map((grant) => grant.name),
    )
  }
  const granted = [...new Set(meant.flatMap(({ permissions }) => permissions))]
  for (const word of words) {
    if (granted.includes(word)) continue
    throw new OrlaError('E_NOT_FOUND', `${JSON.stringify(word)} is not granted to ${name}`, {
      hint: granted.length === 0 ? 'no word is' : `granted: ${granted.join(', ')}`,
    })
  }
}

function nothingAbout(name: string, names: readonly string[]): OrlaError {
  const close = nearest(name, [...new Set(names)])
  return new OrlaError('E_NOT_FOUND', `nothing was accepted for ${name}`, {
    hint: close === undefined ? '`orla grants` shows what was accepted' : `did you mean \`${close}\`?`,
  })
}
