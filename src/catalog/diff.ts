import type { Catalog } from '../model/index.ts'

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
  // Copied, because a catalog asks the disk about a tool that is looked up.
  const left = new Map(before.tools)
  for (const [name, tool] of after.tools) {
    const old = left.get(name)
    if (old === undefined) added.push(name)
    else if (old !== tool && old.digest !== tool.digest) changed.push(name)
    left.delete(name)
  }
  return { added, removed: [...left.keys()], changed }
}
