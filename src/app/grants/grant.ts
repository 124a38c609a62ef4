import type { FoundPackage } from '../../catalog/index.ts'
import { effectivePermissions, newestFirst } from '../../formats/index.ts'
import { nearest, OrlaError } from '../../model/index.ts'
import { CALLS_NOTHING, type PlannedPackage, sourceOf } from '../../packages/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import type { Conversation } from '../packages/context.ts'
import { findPackages } from '../packages/found.ts'
import { enforcementHere } from '../sandbox/enforcement.ts'
import type { World } from '../world.ts'
import { openGrants } from './book.ts'
import { findGrant, nameOf, type Wanted } from './wanted.ts'

export interface GrantReport {
  readonly name: string
  readonly version: string
  /** `own`: placed or linked by hand, so that it needs no grant. */
  readonly status: 'granted' | 'unchanged' | 'own'
  readonly permissions: readonly string[]
  /** Nobody saw where it came from: a later version from there is a stranger's. */
  readonly asks_at_update: boolean
}

/** `orla grant NAME[@vVERSION] [WORD…]`: a person accepts what an installed package asks for, all or some of it. */
export async function grantPackage(
  world: World,
  request: ConfigRequest,
  [written = '', ...words]: readonly string[],
  conversation: Pick<Conversation, 'consent'>,
): Promise<GrantReport> {
  const loaded = await loadConfig(world, request)
  const book = openGrants(loaded.home)
  const found = choose(await findPackages(loaded), nameOf(written))
  const { manifest, digest } = found
  const { name, version } = manifest
  const asked = effectivePermissions(manifest.permissions)
  if (digest === undefined) return { name, version, status: 'own', permissions: asked, asks_at_update: false }
  for (const word of words) checkAsked(word, asked, name)
  const before = findGrant(book.all(), manifest, digest)
  const had = before?.permissions ?? []
  const permissions = asked.filter((word) => words.length === 0 || words.includes(word) || had.includes(word))
  const newPermissions = permissions.filter((word) => !had.includes(word))
  const enforced = await enforcementHere(world, loaded)(manifest)
  const { unenforced } = enforced
  const isKnown = before !== undefined && unenforced.every((rule) => before.unenforced.includes(rule))
  const asks_at_update = before?.pin === undefined
  if (isKnown && newPermissions.length === 0)
    return { name, version, status: 'unchanged', permissions, asks_at_update }
  const planned: PlannedPackage = {
    name,
    version,
    action: 'keep',
    folder: found.folder,
    permissions,
    newPermissions,
    from: found.pin === undefined ? found.folder : sourceOf(found.pin),
    declaresPermissions: manifest.permissions !== null,
    hooks: [],
    runsTests: false,
    needsConsent: true,
    ...CALLS_NOTHING,
    enforcement: enforced,
  }
  if ((await conversation.consent({ packages: [planned], purpose: 'grant' })) === undefined) {
    throw new OrlaError('E_REFUSED', 'nothing was granted', { hint: '--yes accepts the plan' })
  }
  // Where it came from is what its receipt says; an install that sees for itself writes that down.
  const pin = before?.pin === undefined ? {} : { pin: before.pin }
  const accepted_at = new Date().toISOString()
  await book.add([{ name, version, digest, ...pin, permissions, unenforced, accepted_at, how: 'grant' }])
  return { name, version, status: 'granted', permissions, asks_at_update }
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
  const versions = newestFirst(own.map(({ manifest }) => manifest.version)).join(', ')
  const other = close === undefined ? '`orla list` shows what is installed' : `did you mean \`${close}\`?`
  throw new OrlaError(
    'E_NOT_FOUND',
    `${version === undefined ? name : `version ${version} of ${name}`} is not installed`,
    { hint: versions === '' ? other : `installed: ${versions}` },
  )
}

function checkAsked(word: string, asked: readonly string[], name: string): void {
  if (asked.includes(word)) return
  throw new OrlaError('E_USAGE', `${name} does not ask for ${JSON.stringify(word)}`, {
    hint: asked.length === 0 ? 'it asks for nothing' : `it asks for ${asked.join(', ')}`,
  })
}
