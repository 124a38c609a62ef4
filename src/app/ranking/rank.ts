import {
  createDiscovery,
  type FoundPackage,
  judgeCapability,
  type Named,
  type Ordered,
  openStatistics,
  orderImplementations,
  type Ranked,
  rankAll,
  type Statistics,
  startFrom,
} from '../../catalog/index.ts'
import { type Config, type Fit, nearest, type Tool } from '../../model/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import { statisticsFolder } from '../statistics/keep.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'

/** An installed tool, as far as it is ranked. */
export interface InstalledTool extends Named {
  readonly version: string
  readonly description: string
  readonly keywords: readonly string[]
  readonly capabilities: readonly string[]
  readonly language: string | undefined
  readonly platforms: readonly string[]
  /** The package it belongs to; null of a loose tool. */
  readonly package: string | null
  /** Where there are several, in the order in which they are tried. */
  readonly implementations: readonly Ordered<string>[]
}

export interface Ranking {
  readonly tools: readonly Ranked<InstalledTool>[]
  /** What could have been meant by the capability, when nothing has it. */
  readonly close: string | undefined
}

/** Installed tools, best first; only those with a capability when one is asked for. */
export async function rankTools(
  world: World,
  request: ConfigRequest,
  capability: string | undefined,
): Promise<Ranking> {
  const now = Date.now()
  const all = await installedTools(await loadConfig(world, request), now)
  if (capability === undefined) return { tools: rankAll(all, now), close: undefined }
  const able = all.flatMap((one) => {
    const judged = judgeCapability(one.capabilities, capability)
    return judged === undefined ? [] : [{ ...one, capability: judged }]
  })
  const words = all.flatMap(({ capabilities }) => capabilities)
  return { tools: rankAll(able, now), close: able.length > 0 ? undefined : nearest(capability, words) }
}

/** Every tool that is served from here, and packages that could be if anything of them ran here. */
export async function installedTools(loaded: LoadedConfig, now: number): Promise<InstalledTool[]> {
  const { catalog, packages } = await createDiscovery().scan(whereOf(loaded))
  const statistics = openStatistics(statisticsFolder(loaded.home), { now })
  const evidence = new Map(statistics.versions().map((one) => [`${one.tool} ${one.version}`, one]))
  const byFolder = new Map(packages.map((one) => [one.folder, one]))
  const ordered = implementationOrder(statistics, loaded.config, now)
  const served = [...catalog.tools.values()].map((tool) => {
    const found = tool.origin.kind === 'package' ? byFolder.get(tool.origin.folder) : undefined
    const ids = tool.run.kind === 'implementations' ? tool.run.candidates.map(({ id }) => id) : []
    return describe(tool, found, RUNS, ids.length < 2 ? [] : ordered(tool, ids))
  })
  const unserved = packages.flatMap((found) => {
    const { manifest, state, mcpkg } = found
    if (state !== 'in use' || mcpkg === undefined || catalog.tools.has(manifest.name)) return []
    const [why] = mcpkg.choice.unfit.flatMap(({ reasons }) => reasons)
    const fit = {
      value: 0,
      words: why ?? (mcpkg.manifest.chain ? 'its chain cannot run' : 'cannot run here'),
    }
    return [describe(manifest, found, fit, [])]
  })
  return [...served, ...unserved].map((one) => {
    const known = evidence.get(`${one.name} ${one.version}`)
    return known === undefined ? one : { ...one, evidence: known }
  })
}

const RUNS: Fit = { value: 1, words: 'runs here' }

function describe(
  { name, version, description }: Pick<Tool, 'name' | 'version' | 'description'>,
  found: FoundPackage | undefined,
  fit: Fit,
  implementations: readonly Ordered<string>[],
): InstalledTool {
  const manifest = found?.manifest
  return {
    name,
    version,
    description,
    keywords: manifest?.keywords ?? [],
    capabilities: manifest?.capabilities ?? [],
    language: manifest?.language,
    platforms: found?.mcpkg?.manifest.implementations.flatMap(({ platforms }) => platforms) ?? [],
    package: manifest?.name ?? null,
    fit,
    implementations,
  }
}

/** Implementations of a tool, as a call would try them now. */
export function orderHere({ home, config }: LoadedConfig, now: number) {
  return implementationOrder(openStatistics(statisticsFolder(home), { now }), config, now)
}

function implementationOrder(statistics: Statistics, { ranking }: Config, now: number) {
  return ({ name, version }: Pick<Tool, 'name' | 'version'>, ids: readonly string[]): Ordered<string>[] => {
    const known = new Map(
      statistics
        .of(name)
        .flatMap((one) =>
          one.version === version && one.implementation !== null
            ? [[one.implementation, startFrom(one)] as const]
            : [],
        ),
    )
    const order = orderImplementations(ids, (id) => known.get(id), ranking.coolDownMs, now)
    if (ranking.choose === 'on') return order
    const asWritten = ids.flatMap((id) => order.filter(({ one }) => one === id))
    return asWritten.map((one) => ({ ...one, coolingUntil: null, isRetry: false }))
  }
}
