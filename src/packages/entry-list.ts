import { buildSearchIndex, type SearchIndex } from '../formats/index.ts'
import type { RegistryEntry } from '../model/index.ts'

/** What a registry lists, sorted by name and ready to be looked through: an entry is read when someone asks for it. */
export interface EntryList {
  /** Its documents are the entries, by their numbers. */
  readonly search: SearchIndex
  at(number: number): RegistryEntry
  find(name: string): RegistryEntry | undefined
  all(): readonly RegistryEntry[]
}

export function listEntries(unsorted: readonly RegistryEntry[]): EntryList {
  const entries = [...unsorted].sort((a, b) => (a.name < b.name ? -1 : 1))
  return createEntryList(buildSearchIndex(entries), (number) => {
    const entry = entries[number]
    if (entry === undefined) throw new RangeError(`there is no entry ${number}`)
    return entry
  })
}

/** `at` gives the entries of the index, which are sorted by name. */
export function createEntryList(search: SearchIndex, at: EntryList['at']): EntryList {
  return {
    search,
    at,
    find(name) {
      let low = 0
      let high = search.documents
      while (low < high) {
        const middle = (low + high) >>> 1
        if (at(middle).name < name) low = middle + 1
        else high = middle
      }
      const entry = low < search.documents ? at(low) : undefined
      return entry?.name === name ? entry : undefined
    },
    all: () => Array.from({ length: search.documents }, (_, number) => at(number)),
  }
}

/** The same entries, each as `change` makes it; names stay. */
export function changeEntries(
  entries: EntryList,
  change: (entry: RegistryEntry) => RegistryEntry,
): EntryList {
  return createEntryList(entries.search, (number) => change(entries.at(number)))
}
