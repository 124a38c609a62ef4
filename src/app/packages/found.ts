import { createDiscovery, type FoundPackage } from '../../catalog/index.ts'
import { unmetAmong } from '../../packages/index.ts'
import type { LoadedConfig } from '../config.ts'
import { whereOf } from '../where.ts'

/** Every package that can be used here, with the one of each name that serves. */
export async function findPackages(loaded: LoadedConfig): Promise<readonly FoundPackage[]> {
  return (await createDiscovery().scan(whereOf(loaded))).packages
}

/** What would be missing without these folders, in the words of who needs it: `a 1.0.0 needs tool:b`. */
export function missingWithout(packages: readonly FoundPackage[], gone: ReadonlySet<string>): string[] {
  const before = new Set(describe(packages))
  return describe(packages.filter(({ folder }) => !gone.has(folder))).filter((one) => !before.has(one))
}

function describe(packages: readonly FoundPackage[]): string[] {
  return unmetAmong(packages.map(({ manifest }) => manifest)).map(
    ({ by, requirement }) => `${by.name} ${by.version} needs ${requirement.written}`,
  )
}
