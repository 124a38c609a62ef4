import { type LockEntry, OrlaError, type Registry, type RegistryEntry } from '../model/index.ts'
import { checkGitUrl, withoutCredentials } from '../platform/index.ts'
import type { InstallDeps } from './install.ts'
import { isSameSource, sourceOf } from './pin-words.ts'

/**
 * A lock comes with a project, perhaps a stranger's. Nothing it names is fetched before this machine has a reason
 * to trust it: its user installed it from there before, a trusted registry lists it, or someone says so.
 */
export async function trustLocked(entry: LockEntry, deps: InstallDeps): Promise<void> {
  const { name, pin } = entry
  const known = deps.ports.grants.all().filter((grant) => grant.name === name)
  if (known.some((grant) => grant.pin !== undefined && isSameSource(grant.pin, pin))) return
  if (await isListed(entry, deps)) return
  if (await deps.ports.trustSource(name, sourceOf(pin))) return
  throw new OrlaError('E_UNTRUSTED', `orla.lock takes \`${name}\` from ${sourceOf(pin)}`, {
    hint: 'no registry lists it there; --yes takes it all the same',
  })
}

/** The registry of a locked pin: a configured one, or one only the lock knows. */
export function registryOf({ pin }: LockEntry, registries: readonly Registry[]): Registry | undefined {
  if (pin.kind === 'directory' || pin.registry === undefined) return undefined
  const { registry: url } = pin
  return registries.find((one) => one.url === url) ?? { name: 'in orla.lock', url }
}

/** The lock may claim anything of a registry, so that the registry itself is asked. */
async function isListed(entry: LockEntry, deps: InstallDeps): Promise<boolean> {
  const registry = registryOf(entry, deps.registries)
  if (registry === undefined) return false
  try {
    const { entries } = await deps.index(registry)
    return entries.some((one) => one.name === entry.name && isPlaceOf(one, entry, deps.cwd))
  } catch (error) {
    if (!(error instanceof OrlaError) || error.code === 'E_UNTRUSTED' || error.code === 'E_INTERRUPTED')
      throw error
    return false
  }
}

function isPlaceOf({ repository }: RegistryEntry, { pin }: LockEntry, cwd: string): boolean {
  if (pin.kind === 'archive') return URL.canParse(repository) && pin.from === withoutCredentials(repository)
  return pin.kind === 'git' && pin.url === checkGitUrl(repository, cwd).url
}
