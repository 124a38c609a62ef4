import type { Catalog } from '../model/index.ts'
import { createOrderedLookup } from '../platform/index.ts'

export interface CatalogDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Names of the tools that differ, in the order of the catalogs. Same digest, same tool. */
export function diffCatalogs(before: Catalog, after: Catalog): CatalogDiff {
  const added: string[] = []
  const changed: string[] = []
  if (before === after) return { added, removed: [], changed }
  if (before.tools.size === 0) return { added: [...after.tools.keys()], removed: [], changed }
  // Copied, because a catalog asks the disk about a tool that is looked up.
  const olds = [...before.tools.values()]
  const indexOf = createOrderedLookup(olds.length, (index) => olds[index]?.name)
  let found = 0
  for (const [name, tool] of after.tools) {
    const old = olds[indexOf(name)]
    if (old === undefined) added.push(name)
    else {
      found++
      if (old !== tool && old.digest !== tool.digest) changed.push(name)
    }
  }
  const isGone = (name: string) => !after.tools.has(name)
  return { added, removed: found === olds.length ? [] : [...before.tools.keys()].filter(isGone), changed }
}
