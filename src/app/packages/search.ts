import { OrlaError } from '../../model/index.ts'
import {
  type RegistryIndex,
  type SearchFilters,
  type SearchResult,
  searchIndexes,
} from '../../packages/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'

export async function searchPackages(
  world: World,
  config: ConfigRequest,
  query: string,
  filters: SearchFilters,
  limit: number | undefined,
  network: NetworkOptions,
  conversation: Conversation,
): Promise<SearchResult> {
  const context = await openPackages(world, config, network, conversation)
  return searchIndexes(await readIndexes(context), query, filters, limit)
}

/** All that can be had. One that cannot be reached does not keep the others from answering. */
export async function readIndexes(context: PackageContext): Promise<RegistryIndex[]> {
  const { registries, index, conversation } = context
  const loaded = await Promise.allSettled(registries.map((registry) => index(registry)))
  const indexes = loaded.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const reasons = loaded.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []))
  const interrupted = reasons.find((one) => one instanceof OrlaError && one.code === 'E_INTERRUPTED')
  if (interrupted !== undefined) throw interrupted
  // The last one is the error when there is nothing else.
  const last = indexes.length === 0 ? reasons.pop() : undefined
  for (const { message } of reasons) conversation.warn(message)
  if (last !== undefined) throw last
  return indexes
}
