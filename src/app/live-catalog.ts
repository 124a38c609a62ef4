import { createDiscovery, diffCatalogs, type Where } from '../catalog/index.ts'
import { type Capsule, type Catalog, EMPTY_CATALOG, type Log } from '../model/index.ts'

export interface LiveCatalog {
  current(): Catalog
  /** Scans, and swaps the new catalog in. Resolves to what it found on disk. */
  refresh(where: Where): Promise<Refreshed>
}

export interface Refreshed {
  readonly changed: boolean
  readonly missing: boolean
  /** What to watch: folders, and single files elsewhere to which links lead. */
  readonly directories: readonly string[]
  readonly linked: readonly string[]
  readonly capsules: readonly Capsule[]
}

/** The one place that holds which catalog is the newest. A catalog itself is never changed. */
export function createLiveCatalog(log: Log, onChange: () => void): LiveCatalog {
  const discovery = createDiscovery()
  let current = EMPTY_CATALOG
  return {
    current: () => current,
    async refresh(where) {
      const { catalog, directories, linked, missing, capsules } = await discovery.scan(where)
      const { added, removed, changed } = diffCatalogs(current, catalog)
      const before = current.problems
      current = catalog
      for (const problem of catalog.problems) {
        const known = before.some((old) => old.file === problem.file && old.message === problem.message)
        if (!known) log.warn(problem.message, { file: problem.file, line: problem.line, hint: problem.hint })
      }
      const differs = added.length + removed.length + changed.length > 0
      if (differs) onChange()
      return { changed: differs, missing, directories, linked, capsules }
    },
  }
}
