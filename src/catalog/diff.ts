import type { Catalog } from '../model/index.ts'

export interface CatalogDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Names of the tools that differ, in the order of the catalogs. Same digest, same tool. */
export function diffCatalogs(before: Catalog, after: Catalog): CatalogDiff {
  const names = [...after.tools.keys()]
  return {
    added: names.filter((name) => !before.tools.has(name)),
    removed: [...before.tools.keys()].filter((name) => !after.tools.has(name)),
    changed: names.filter((name) => {
      const old = before.tools.get(name)
      return old !== undefined && old.digest !== after.tools.get(name)?.digest
    }),
  }
}
