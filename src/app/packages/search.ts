import { OrlaError } from '../../model/index.ts'
import { type SearchFilters, type SearchHit, searchIndexes } from '../../packages/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages } from './context.ts'

export async function searchPackages(
  world: World,
  config: ConfigRequest,
  query: string,
  filters: SearchFilters,
  network: NetworkOptions,
  conversation: Conversation,
): Promise<SearchHit[]> {
  const { registries, index } = await openPackages(world, config, network, conversation)
  const loaded = await Promise.allSettled(registries.map((registry) => index(registry)))
  const indexes = loaded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  for (const one of loaded) {
    if (one.status === 'fulfilled') continue
    const isInterrupted = one.reason instanceof OrlaError && one.reason.code === 'E_INTERRUPTED'
    if (indexes.length === 0 || isInterrupted) throw one.reason
    conversation.warn((one.reason as Error).message)
  }
  return searchIndexes(indexes, query, filters)
}
