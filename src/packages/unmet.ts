import { satisfies } from '../formats/index.ts'
import type { Manifest } from '../model/index.ts'
import { toolRequirements } from './dependencies.ts'
import type { Need } from './needs.ts'

/** Of these packages, who needs what none of them is. */
export function unmetAmong(packages: readonly Manifest[]): Need[] {
  return packages.flatMap((by) =>
    toolRequirements(by)
      .filter((need) => !packages.some(({ name, version }) => name === need.name && satisfies(need, version)))
      .map((requirement) => ({ by, requirement })),
  )
}
