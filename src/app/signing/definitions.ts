import { createDiscovery } from '../../catalog/index.ts'
import { definitionHash } from '../../formats/index.ts'
import { type LockEntry, OrlaError } from '../../model/index.ts'
import { addToLocks, readLocks } from '../../packages/index.ts'
import { withFolderLock } from '../../platform/index.ts'
import type { ConfigRequest } from '../config.ts'
import { openOfferedTools } from '../offered-tools.ts'
import { type Conversation, openPackages } from '../packages/context.ts'
import { reloadAllServers } from '../reload-servers.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'

/** What an installed package tells models now is what it may tell them. Resolves to the tools that serve again. */
export async function acceptDefinitions(
  world: World,
  config: ConfigRequest,
  name: string,
  conversation: Conversation,
): Promise<readonly string[]> {
  const { loaded, places } = await openPackages(
    world,
    config,
    { offline: true, refresh: false },
    conversation,
  )
  const offered = openOfferedTools(loaded.home)
  const { packages, capsules } = await createDiscovery().scan(whereOf(loaded, offered))
  const own = packages.filter(({ manifest }) => manifest.name === name)
  if (own.length === 0) {
    throw new OrlaError('E_NOT_FOUND', `there is no package \`${name}\``, {
      hint: '`orla list` shows what is',
    })
  }
  const accepted = capsules.filter((one) => one.name === name).flatMap((capsule) => offered.accept(capsule))
  await withFolderLock(`${places.toolsDir}/.orla-lock`, async () => {
    const changed = readLocks(places).packages.flatMap((entry): LockEntry[] => {
      const found = own.find(({ manifest }) => manifest.version === entry.version)
      if (found === undefined || entry.name !== name) return []
      const definition = definitionHash(found.manifest)
      return definition === entry.definition ? [] : [{ ...entry, definition }]
    })
    if (changed.length === 0) return
    addToLocks(places, changed)
    accepted.push(name)
  })
  if (accepted.length > 0) await reloadAllServers(loaded.home)
  return accepted
}
