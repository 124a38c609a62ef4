import type { Capsule } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OfferedTools } from '../offered-tools.ts'
import type { World } from '../world.ts'

/** Asks MCP servers what they offer: tool names by package. */
export async function learnOffered(
  world: World,
  loaded: LoadedConfig,
  servers: readonly Capsule[],
  known: OfferedTools,
  warn: (message: string) => void,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const learnt = new Map<string, readonly string[]>()
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
