import { satisfies } from '../formats/index.ts'
import { type Manifest, OrlaError } from '../model/index.ts'
import { type ToolRequirement, toolRequirements } from './dependencies.ts'

/** A package that needs another one. */
export interface Need {
  readonly by: Manifest
  readonly requirement: ToolRequirement
}

interface Chosen {
  readonly manifest: Manifest
  /** Nobody asked for exactly this version: another one may take its place. */
  readonly isFree: boolean
}

/** What these packages need and neither they nor what is installed provide, by name. */
export function unmetNeeds(
  chosen: readonly Chosen[],
  isInstalled: (requirement: ToolRequirement) => boolean,
): Map<string, Need[]> {
  const needs = new Map<string, Need[]>()
  for (const { manifest: by } of chosen) {
    for (const requirement of toolRequirements(by)) {
      // A version that can still be chosen otherwise must fit: once installed, it would be the one that serves.
      const own = chosen.filter(({ manifest }) => manifest.name === requirement.name)
      const isOpen = own.some(({ isFree }) => isFree)
      // Exact ones stand beside each other like those that are installed: a lock may hold two of one package.
      const isThere = own.some(({ manifest }) => satisfies(requirement, manifest.version))
      if (!isOpen && (isThere || isInstalled(requirement))) continue
      needs.set(requirement.name, [...(needs.get(requirement.name) ?? []), { by, requirement }])
    }
  }
  for (const [name, all] of needs) {
    const isMet = chosen.some(({ manifest }) => manifest.name === name && fitsAll(all, manifest.version))
    if (isMet) needs.delete(name)
  }
  return needs
}

export function fitsAll(needs: readonly Need[], version: string): boolean {
  return needs.every(({ requirement }) => satisfies(requirement, version))
}

export function noneFits(name: string, needs: readonly Need[], versions: readonly string[]): OrlaError {
  const who = needs.map(({ by, requirement }) => `${by.name} ${by.version} needs ${requirement.written}`)
  return new OrlaError(
    'E_DEPENDENCY',
    `no version of ${name} fits: ${who.join(', ')}; there is ${versions.join(', ') || 'none'}`,
  )
}

interface Ordered {
  readonly manifest: Manifest
  /** Names of the tools its chain calls. */
  readonly calls?: readonly string[]
}

/** What is needed before what needs it. A circle is an error; one of chains is told when they are loaded. */
export function dependencyOrder<T extends Ordered>(packages: readonly T[]): T[] {
  const ordered: T[] = []
  const visit = (one: T, path: readonly string[]) => {
    const { name } = one.manifest
    if (ordered.includes(one)) return
    const way = [...path, name]
    if (path.includes(name)) {
      throw new OrlaError(
        'E_DEPENDENCY',
        `packages need each other: ${way.slice(way.indexOf(name)).join(' → ')}`,
      )
    }
    for (const need of toolRequirements(one.manifest)) {
      for (const other of packages) {
        if (other.manifest.name === need.name && satisfies(need, other.manifest.version)) visit(other, way)
      }
    }
    for (const other of packages) {
      const isCalled = one.calls?.includes(other.manifest.name) ?? false
      if (isCalled && !way.includes(other.manifest.name)) visit(other, way)
    }
    if (!ordered.includes(one)) ordered.push(one)
  }
  for (const one of packages) visit(one, [])
  return ordered
}
