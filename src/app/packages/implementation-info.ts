import type { FoundPackage, Ordered } from '../../catalog/index.ts'
import type { McpkgImplementation, Score } from '../../model/index.ts'
import type { orderHere } from '../ranking/rank.ts'

export interface ImplementationInfo {
  readonly id: string
  readonly type: 'http' | 'local'
  readonly runtime: string | null
  /** What is used, what would be used if that could not start, and what cannot run here. */
  readonly state: 'chosen' | 'fallback' | 'unfit'
  /** Why it cannot run here. */
  readonly reasons: readonly string[]
  /** What is known of it from calls, which its place comes from; null when it is the only one that fits. */
  readonly score: Score | null
  /** Until when it is not tried first, because it failed too often in a row. */
  readonly cooling_until: string | null
}

/** In the order in which a call tries them, then those that cannot run. */
export function implementationsOf(
  { manifest, mcpkg }: FoundPackage,
  order: ReturnType<typeof orderHere>,
): ImplementationInfo[] {
  if (mcpkg === undefined || mcpkg.manifest.chain !== undefined) return []
  const { fitting, unfit } = mcpkg.choice
  const byId = new Map(fitting.map(({ implementation }) => [implementation.id, implementation]))
  const ordered = order(manifest, [...byId.keys()])
  return [
    ...ordered.flatMap((place, at) => {
      const implementation = byId.get(place.one)
      if (implementation === undefined) return []
      return [
        { ...tell(implementation, at === 0 ? 'chosen' : 'fallback', []), ...(byId.size > 1 && why(place)) },
      ]
    }),
    ...unfit.map(({ implementation, reasons }) => tell(implementation, 'unfit', reasons)),
  ]
}

function tell(
  { id, endpoint, runtime }: McpkgImplementation,
  state: ImplementationInfo['state'],
  reasons: readonly string[],
): ImplementationInfo {
  return {
    id,
    type: endpoint.type,
    runtime: runtime ?? null,
    state,
    reasons,
    score: null,
    cooling_until: null,
  }
}

function why({ score, explain, coolingUntil }: Ordered<string>) {
  const until = coolingUntil === null ? null : new Date(coolingUntil).toISOString()
  return { score: { score, parts: explain() }, cooling_until: until }
}
