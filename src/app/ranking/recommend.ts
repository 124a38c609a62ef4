import { judgeCapability, rankAll } from '../../catalog/index.ts'
import { buildSearchIndex, findDocuments, fitOfEntry } from '../../formats/index.ts'
import { OrlaError, type RegistryEntry, type Score } from '../../model/index.ts'
import { passes, type RegistryIndex, type SearchFilters } from '../../packages/index.ts'
import type { ConfigRequest } from '../config.ts'
import {
  type Conversation,
  type NetworkOptions,
  openPackages,
  type PackageContext,
} from '../packages/context.ts'
import { readIndexes } from '../packages/search.ts'
import type { World } from '../world.ts'
import { installedTools } from './rank.ts'

export interface Recommendation extends Score {
  readonly name: string
  readonly version: string | null
  readonly description: string
  /** The registry that lists it; null when it is installed. */
  readonly registry: string | null
}

export interface Recommendations {
  /** The best, as many as were asked for. */
  readonly results: readonly Recommendation[]
  readonly total: number
  /** When nothing fits: the names of what would without the filters. */
  readonly without: readonly string[]
}

/** Those whose words fit best are looked at closely; what a registry lists beyond that is not what was meant. */
const CLOSELY = 200

type Filters = Omit<SearchFilters, 'keyword'>

/** Installed tools and what the registries list, for what someone wants to do. */
export async function recommend(
  world: World,
  request: ConfigRequest,
  query: string,
  filters: Filters,
  limit: number,
  network: NetworkOptions,
  conversation: Conversation,
): Promise<Recommendations> {
  const now = Date.now()
  const context = await openPackages(world, request, network, conversation)
  const installed = await installedTools(context.loaded, now)
  const indexes = await listedThere(context)
  const places = placesOf(installed, indexes, query)
  const { host } = context.loaded.mcpkg
  const own = new Set(installed.flatMap((one) => [one.name, one.package ?? one.name]))
  const contestants = places.flatMap(({ index, document, relevance, capability }) => {
    const tool = index === 0 ? installed[document] : undefined
    const from = indexes[index - 1]
    const entry = tool === undefined ? from?.entries.at(document) : undefined
    const one = tool ?? entry
    if (one === undefined || (entry !== undefined && own.has(entry.name))) return []
    return [
      {
        name: one.name,
        description: one.description,
        registry: entry === undefined ? null : (from?.registry.name ?? null),
        version: tool?.version ?? '',
        fit: tool?.fit ?? fitOfEntry(asEntry(one), host),
        ...(tool?.evidence && { evidence: tool.evidence }),
        ...(relevance !== undefined && { relevance }),
        ...capabilityOf(one.capabilities, filters.capability, capability),
        entry: asEntry(one),
      },
    ]
  })
  const { capability: asked, ...others } = filters
  const fitting = contestants.filter(
    ({ entry, capability }) => passes(entry, others) && (asked === undefined || capability !== undefined),
  )
  const ranked = rankAll(fitting, now, limit)
  const without = fitting.length > 0 ? [] : rankAll(contestants, now, 3)
  return {
    results: ranked.map(({ name, description, registry, version, score, parts }) => ({
      name,
      version: version === '' ? null : version,
      description,
      registry,
      score,
      parts,
    })),
    total: fitting.length,
    without: without.map(({ name }) => name),
  }
}

interface Place {
  /** 0 for what is installed, then the registries. */
  readonly index: number
  readonly document: number
  readonly relevance?: number
  readonly capability?: number
}

/** Without words everything is looked at. */
function placesOf(
  installed: Parameters<typeof buildSearchIndex>[0],
  indexes: readonly RegistryIndex[],
  query: string,
): readonly Place[] {
  const all = [buildSearchIndex(installed), ...indexes.map(({ entries }) => entries.search)]
  if (query.trim() === '')
    return all.flatMap(({ documents }, index) =>
      Array.from({ length: documents }, (_, document) => ({ index, document })),
    )
  const { best: found } = findDocuments(all, query)
  return [
    ...found.filter(({ index }) => index === 0),
    ...found.filter(({ index }) => index > 0).slice(0, CLOSELY),
  ]
}

/** What is asked for by its name counts, else what the words find among the capabilities. */
function capabilityOf(capabilities: readonly string[], asked: string | undefined, found: number | undefined) {
  if (asked !== undefined) {
    const judged = judgeCapability(capabilities, asked)
    return judged === undefined ? {} : { capability: judged }
  }
  if (found === undefined) return {}
  if (capabilities.length === 0) return { capability: { value: 0.5, words: 'names no capability' } }
  return { capability: { value: found, words: found > 0 ? 'capability fits' : 'other capabilities' } }
}

/** An installed tool as a registry would list it. */
function asEntry(
  one: Pick<RegistryEntry, 'name' | 'description' | 'keywords' | 'capabilities' | 'platforms'> & {
    readonly language?: string | undefined
  },
): RegistryEntry {
  const { name, description, keywords, capabilities, platforms, language } = one
  const entry = { name, description, keywords, capabilities, platforms, repository: '' }
  return language === undefined ? entry : { ...entry, language }
}

/** Registries that cannot be asked leave what is installed. */
async function listedThere(context: PackageContext): Promise<RegistryIndex[]> {
  try {
    return await readIndexes(context)
  } catch (error) {
    if (!(error instanceof OrlaError) || error.code === 'E_INTERRUPTED') throw error
    context.conversation.warn(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`)
    return []
  }
}
