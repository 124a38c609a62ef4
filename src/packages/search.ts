import type { RegistryEntry } from '../model/index.ts'
import type { RegistryIndex } from './registry-index.ts'

export interface SearchFilters {
  readonly keyword?: string
  readonly capability?: string
  readonly language?: string
  readonly platform?: string
}

export interface SearchHit extends RegistryEntry {
  readonly registry: string
}

/** Ranked, forgiving of typos; without words, everything that passes the filters by name. */
export async function searchIndexes(
  indexes: readonly RegistryIndex[],
  query: string,
  filters: SearchFilters,
): Promise<SearchHit[]> {
  const hits = indexes.flatMap(({ registry, entries }) =>
    entries
      .filter((entry) => passes(entry, filters))
      .map((entry): SearchHit => ({ ...entry, registry: registry.name })),
  )
  if (query.trim() === '') return hits.sort((a, b) => (a.name < b.name ? -1 : 1))
  const { default: MiniSearch } = await import('minisearch')
  const search = new MiniSearch<SearchHit & { id: number }>({
    fields: ['name', 'description', 'keywords'],
    extractField: (hit, field) =>
      field === 'keywords' ? hit.keywords.join(' ') : String(hit[field as 'name']),
    searchOptions: { boost: { name: 4, keywords: 2 }, fuzzy: 0.25, prefix: true },
  })
  search.addAll(hits.map((hit, id) => ({ ...hit, id })))
  return search.search(query).flatMap(({ id }) => hits[Number(id)] ?? [])
}

function passes(entry: RegistryEntry, { keyword, capability, language, platform }: SearchFilters): boolean {
  return (
    (keyword === undefined || has(entry.keywords, keyword)) &&
    (capability === undefined || has(entry.capabilities, capability)) &&
    (language === undefined || has([entry.language ?? ''], language)) &&
    (platform === undefined || entry.platforms.length === 0 || has(entry.platforms, platform))
  )
}

/** Whoever looks for `Web` means `web`. */
function has(words: readonly string[], wanted: string): boolean {
  return words.some((word) => word.toLowerCase() === wanted.toLowerCase())
}
