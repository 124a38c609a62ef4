import { createDiscovery } from '../../catalog/index.ts'
import { OrlaError } from '../../model/index.ts'
import { loadConfig } from '../config.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'

/** The names of the tools that serve here; undefined when the configuration cannot tell. */
export async function toolsHere(world: World): Promise<readonly string[] | undefined> {
  try {
    const { catalog } = await createDiscovery().scan(whereOf(await loadConfig(world, { flags: {} })))
    return [...catalog.tools.keys()]
  } catch (error) {
    // A package can be judged beside a broken project; whoever uses the project hears of that.
    if (error instanceof OrlaError) return undefined
    throw error
  }
}
