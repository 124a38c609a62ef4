import { createDiscovery, openStatistics, packageMode } from '../../catalog/index.ts'
import { calledPermissions } from '../../formats/index.ts'
import { type ChainStep, nearest, OrlaError, type Problem } from '../../model/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { calledTool } from '../packages/served-tools.ts'
import { statisticsFolder } from '../statistics/keep.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { adviseOn, type ChainAdvice } from './advice.ts'

export interface ShownChain {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly steps: readonly ChainStep[]
  /** What it may do through the tools it calls. */
  readonly permissions: readonly { readonly word: string; readonly tools: readonly string[] }[]
  /** What would make it faster; null when nothing would. */
  readonly advice: ChainAdvice | null
  /** Why it is not served; null when it is. */
  readonly problem: string | null
}

/** The chains among the packages in use, those that cannot be served too. */
export async function listChains(world: World, config: ConfigRequest): Promise<readonly ShownChain[]> {
  const loaded = await loadConfig(world, config)
  const { packages, catalog } = await createDiscovery().scan(whereOf(loaded))
  const chains = packages.filter((one) => one.state === 'in use' && packageMode(one) === 'chain')
  const measured = new Map(
    openStatistics(statisticsFolder(loaded.home))
      .totals()
      .map(({ tool, latency }) => [tool, latency?.p50Ms]),
  )
  const usualMs = (tool: string) => measured.get(tool)
  const shown = chains.map(({ manifest, mcpkg, folder }): ShownChain => {
    const steps = mcpkg?.manifest.chain ?? []
    const isOwn = ({ file }: Problem) => file.startsWith(`${folder}/`)
    return {
      name: manifest.name,
      version: manifest.version,
      description: manifest.description,
      steps,
      permissions: calledPermissions(
        steps.map(({ tool }) => tool),
        (name) => {
          const tool = catalog.tools.get(name)
          return tool && calledTool(tool)
        },
      ),
      advice: adviseOn(steps, usualMs) ?? null,
      problem: catalog.tools.has(manifest.name)
        ? null
        : (catalog.problems.find(isOwn)?.message ?? 'not served'),
    }
  })
  return shown.sort((a, b) => (a.name < b.name ? -1 : 1))
}

export async function showChain(world: World, config: ConfigRequest, name: string): Promise<ShownChain> {
  const chains = await listChains(world, config)
  const found = chains.find((one) => one.name === name)
  if (found !== undefined) return found
  const close = nearest(
    name,
    chains.map((one) => one.name),
  )
  throw new OrlaError('E_NOT_FOUND', `there is no chain \`${name}\``, {
    hint: close ? `did you mean \`${close}\`?` : '`orla chain list` shows them',
  })
}
