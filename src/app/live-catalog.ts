import { createDiscovery, diffCatalogs, type Where } from '../catalog/index.ts'
import { type Capsule, type Catalog, EMPTY_CATALOG, type Log } from '../model/index.ts'

export interface LiveCatalog {
  current(): Catalog
  /** Scans, and swaps the new catalog in. Resolves to what it found on disk. */
  refresh(where: Where): Promise<Refreshed>
  /** Keeps what was read for the next process. Takes a moment: for when nobody waits. */
  flush(): void
}

/** Which of its lists are not what they were. */
export interface Changed {
  readonly tools: boolean
  readonly documents: boolean
  readonly prompts: boolean
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
export function createLiveCatalog(log: Log, onChange: (changed: Changed) => void): LiveCatalog {
  const discovery = createDiscovery()
  let current = EMPTY_CATALOG
  return {
    current: () => current,
    flush: () => discovery.flush(),
    async refresh(where) {
      const { catalog, directories, linked, missing, capsules } = await discovery.scan(where)
      const { added, removed, changed } = diffCatalogs(current, catalog)
      const before = current.problems
      const changes: Changed = {
        tools: added.length + removed.length + changed.length > 0,
        documents: differ(current.documents, catalog.documents),
        prompts: differ(current.prompts, catalog.prompts),
      }
      current = catalog
      for (const problem of catalog.problems) {
        const known = before.some((old) => old.file === problem.file && old.message === problem.message)
        if (!known) log.warn(problem.message, { file: problem.file, line: problem.line, hint: problem.hint })
      }
      const differs = changes.tools || changes.documents || changes.prompts
      if (differs) onChange(changes)
      return { changed: differs, missing, directories, linked, capsules }
    },
  }
}

function differ(before: readonly unknown[] = [], after: readonly unknown[] = []): boolean {
  return before !== after && JSON.stringify(before) !== JSON.stringify(after)
}
