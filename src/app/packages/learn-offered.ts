import type { Capsule, OfferedTool } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { OfferedTools } from '../offered-tools.ts'
import type { World } from '../world.ts'

/** What a client sees of a tool that an MCP server offers: its whole name, and what it takes. */
export type Offer = Pick<OfferedTool, 'name' | 'inputSchema'>

/** Asks MCP servers what they offer, by package. */
export async function learnOffered(
  world: World,
  loaded: LoadedConfig,
  servers: readonly Capsule[],
  known: OfferedTools,
  warn: (message: string) => void,
): Promise<ReadonlyMap<string, readonly Offer[]>> {
  const learnt = new Map<string, readonly Offer[]>()
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
          tools.map((tool) => ({ ...tool, name: `${capsule.name}.${tool.name}` })),
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
