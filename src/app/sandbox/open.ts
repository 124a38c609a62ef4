import type { PackageFacts } from '../../model/index.ts'
import type { Subject } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import { type Confinement, createConfinement } from '../confinement.ts'
import { openGrants } from '../grants/book.ts'
import { createGate, unacceptedWords } from '../grants/gate.ts'
import { createStarters } from '../starter.ts'
import type { World } from '../world.ts'
import { type Means, openMeans } from './means.ts'

/** For a command that tells how programs are held, or holds one. */
export interface OpenConfinement extends Confinement {
  readonly means: Means
  /** Why nothing of it runs, whatever could hold it: nobody has accepted it. Follows its name. */
  readonly unaccepted: (subject: Subject, version: string) => string | undefined
  readonly close: () => Promise<void>
}

export function openConfinement(world: World, loaded: LoadedConfig): OpenConfinement {
  const starters = createStarters(world)
  const means = openMeans(starters, loaded.home)
  const gate = createGate(openGrants(loaded.home))
  const acceptedFor = (facts: PackageFacts) => gate.acceptedFor(facts)
  const confinement = createConfinement({ world, loaded: () => loaded, means, acceptedFor })
  function unaccepted({ origin }: Subject, version: string): string | undefined {
    if (origin.kind === 'loose' || gate.acceptedFor(origin.package) !== undefined) return undefined
    return unacceptedWords(origin.package, version)
  }
  return { ...confinement, means, unaccepted, close: () => starters.starter.close() }
}
