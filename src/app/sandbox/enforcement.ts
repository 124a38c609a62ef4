import type { LoadedConfig } from '../config.ts'
import type { Confinement } from '../confinement.ts'
import type { World } from '../world.ts'

/** For a plan: what this host would hold of a package. Most commands never ask, so nothing is loaded before. */
export function enforcementHere(world: World, loaded: LoadedConfig): Confinement['enforcement'] {
  return async (asks) => {
    const { openConfinement } = await import('./open.ts')
    const confinement = openConfinement(world, loaded)
    try {
      return await confinement.enforcement(asks)
    } finally {
      await confinement.close()
    }
  }
}
