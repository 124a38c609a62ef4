import { createDiscovery } from '../../catalog/index.ts'
import type { LoadedConfig } from '../config.ts'
import { openOfferedTools } from '../offered-tools.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'

/** Asks the MCP servers among these packages what they offer: tool names by package. */
export async function learnOffered(
  world: World,
  loaded: LoadedConfig,
  names: readonly string[],
  warn: (message: string) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const learnt = new Map<string, readonly string[]>()
  // To find them all tools are looked at, which takes longer than the rest of a small install.
  if (names.length === 0) return learnt
  const known = openOfferedTools(loaded.home)
  const { capsules } = await createDiscovery().scan(whereOf(loaded, known))
  const servers = capsules.filter(({ handshake, name }) => handshake === 'mcp' && names.includes(name))
  if (servers.length === 0) return learnt
  const { openOneOff } = await import('../one-off.ts')
  const runtime = openOneOff(world, loaded)
  try {
    for (const capsule of servers) {
      try {
        const tools = await runtime.offered(capsule)
        known.learn(capsule, tools)
        learnt.set(
          capsule.name,
          tools.map((tool) => `${capsule.name}.${tool.name}`),
        )
      } catch (error) {
        warn(`${capsule.name} does not tell what it offers: ${(error as Error).message}`)
      }
    }
  } finally {
    await runtime.close()
  }
  return learnt
}
