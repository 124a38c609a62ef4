import {
  compactStatistics,
  createDiscovery,
  type HistogramBar,
  openStatistics,
  type Statistics,
} from '../../catalog/index.ts'
import { nearest, OrlaError, type ToolStatistics } from '../../model/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from '../config.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { statisticsFolder } from './keep.ts'
import { writeMetadata } from './metadata.ts'

export interface ShownStatistics {
  readonly since: number | null
  readonly isOn: boolean
  /** Each tool once. */
  readonly totals: readonly ToolStatistics[]
  readonly folder: string
  /** Files that could not be read to the end. */
  readonly damaged: readonly string[]
}

/** What is known of all tools that were ever called on this machine. */
export async function showStatistics(
  world: World,
  request: ConfigRequest,
  since: number | undefined,
): Promise<ShownStatistics> {
  const loaded = await loadConfig(world, request)
  const statistics = await open(loaded, since)
  return { ...aboutStore(loaded, statistics), totals: statistics.totals() }
}

export interface ShownTool extends Omit<ShownStatistics, 'totals'> {
  readonly total: ToolStatistics
  /** By version and implementation. */
  readonly ways: readonly ToolStatistics[]
  readonly histogram: readonly HistogramBar[]
}

export async function showTool(
  world: World,
  request: ConfigRequest,
  name: string,
  since: number | undefined,
): Promise<ShownTool> {
  const loaded = await loadConfig(world, request)
  const statistics = await open(loaded, since)
  const total = statistics.together(({ tool }) => tool === name)
  if (total === undefined) throw unknown(name, statistics, since !== undefined)
  return {
    ...aboutStore(loaded, statistics),
    total,
    ways: statistics.of(name),
    histogram: statistics.histogram(name),
  }
}

/** Forgets one tool, or all. How many were known. */
export async function clearStatistics(
  world: World,
  request: ConfigRequest,
  name: string | undefined,
): Promise<number> {
  const loaded = await loadConfig(world, request)
  const folder = statisticsFolder(loaded.home)
  const statistics = openStatistics(folder)
  const known = statistics.totals().filter(({ tool }) => name === undefined || tool === name).length
  if (name !== undefined && known === 0) throw unknown(name, statistics, false)
  await compactStatistics(folder, { wait: true, keep: (tool) => name !== undefined && tool !== name })
  await writeFaces(loaded, openStatistics(folder))
  return known
}

async function open(loaded: LoadedConfig, since: number | undefined): Promise<Statistics> {
  const folder = statisticsFolder(loaded.home)
  const statistics = openStatistics(folder, since === undefined ? {} : { since })
  if (loaded.config.statistics === 'on')
    await writeFaces(loaded, since === undefined ? statistics : openStatistics(folder))
  return statistics
}

/** `metadata.json` of the packages that are found from here. */
async function writeFaces(loaded: LoadedConfig, statistics: Statistics): Promise<void> {
  try {
    const { catalog } = await createDiscovery().scan(whereOf(loaded))
    writeMetadata(catalog, statistics)
  } catch (error) {
    // Tools that cannot be looked at are no reason not to show what is known of them.
    if (!(error instanceof OrlaError)) throw error
  }
}

function aboutStore({ home, config }: LoadedConfig, { since, damaged }: Statistics) {
  return { since, damaged, isOn: config.statistics === 'on', folder: statisticsFolder(home) }
}

function unknown(name: string, statistics: Statistics, isPeriod: boolean): OrlaError {
  const close = nearest(
    name,
    statistics.totals().map(({ tool }) => tool),
  )
  const message = isPeriod
    ? `no call of \`${name}\` is known in this time`
    : `no call of \`${name}\` is known on this machine`
  return new OrlaError('E_NOT_FOUND', message, {
    hint:
      close === undefined || close === name
        ? `\`orla call ${name}\` makes one; \`orla stats\` shows what is known`
        : `did you mean \`${close}\`?`,
  })
}
