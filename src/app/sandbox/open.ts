import type { LoadedConfig } from '../config.ts'
import { type Confinement, createConfinement } from '../confinement.ts'
import { createStarters } from '../starter.ts'
import type { World } from '../world.ts'
import { type Means, openMeans } from './means.ts'

/** For a command that tells how programs are held, or holds one. */
export interface OpenConfinement extends Confinement {
  readonly means: Means
  readonly close: () => Promise<void>
}

export function openConfinement(world: World, loaded: LoadedConfig): OpenConfinement {
  const starters = createStarters(world)
  const means = openMeans(starters, loaded.home)
  const confinement = createConfinement({ world, loaded: () => loaded, means })
  return { ...confinement, means, close: () => starters.starter.close() }
}
