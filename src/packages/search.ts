import { findDocuments } from '../formats/index.ts'
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

export interface SearchResult {
  /** The best, as many as were asked for. */
  readonly hits: readonly SearchHit[]
  /** How many there are. */
  readonly total: number
}

/** Ranked, forgiving of typos; without words, everything that passes the filters by name. */
export function searchIndexes(
  indexes: readonly Pick<RegistryIndex, 'registry' | 'entries'>[],
  query: string,
  filters: SearchFilters,
  limit = Number.POSITIVE_INFINITY,
): SearchResult {
  // Without filters only those that are shown have to be read.
  const isFiltered = Object.keys(filters).length > 0
  const { best, total } =
    query.trim() === ''
      ? everything(indexes, isFiltered ? Number.POSITIVE_INFINITY : limit)
      : findDocuments(indexes.map(searchOf), query, isFiltered ? Number.POSITIVE_INFINITY : limit)
  const read = ({ index, document }: Place): SearchHit[] => {
    const from = indexes[index]
    return from === undefined ? [] : [{ ...from.entries.at(document), registry: from.registry.name }]
  }
  if (!isFiltered) return { hits: best.slice(0, limit).flatMap(read), total }
  const passing = best.flatMap(read).filter((hit) => passes(hit, filters))
  return { hits: passing.slice(0, limit), total: passing.length }
}

interface Place {
  readonly index: number
  readonly document: number
}

type Searched = Pick<RegistryIndex, 'entries'>

function searchOf({ entries }: Searched) {
  return entries.search
}

/** By name. Each index has its own in that order already, so that no more of one are looked at than are wanted. */
function everything(indexes: readonly Searched[], limit: number): { best: Place[]; total: number } {
  const total = indexes.reduce((sum, { entries }) => sum + entries.search.documents, 0)
  const places = indexes.flatMap(({ entries }, index) =>
    Array.from({ length: Math.min(limit, entries.search.documents) }, (_, document) => ({ index, document })),
  )
  if (indexes.length < 2) return { best: places, total }
  const named = places.map((place) => ({
    place,
    name: indexes[place.index]?.entries.at(place.document).name ?? '',
  }))
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  return { best: named.map(({ place }) => place), total }
}

export function passes(
  entry: RegistryEntry,
  { keyword, capability, language, platform }: SearchFilters,
): boolean {
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
