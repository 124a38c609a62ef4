import { openStatistics } from '../../catalog/index.ts'
import { byTool, type TestOutcome } from '../../formats/index.ts'
import type { Catalog, Tool } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import { keepStatistics, type StatisticsKeeper, statisticsFolder } from '../statistics/keep.ts'
import { writeMetadata } from '../statistics/metadata.ts'
import type { TestSubject } from './subject.ts'

/** The newest results of tools that serve are part of what is known of them. A folder in the making is not. */
export async function recordTests(
  loaded: LoadedConfig,
  { subjects, catalog }: { readonly subjects: readonly TestSubject[]; readonly catalog: Catalog },
  outcomes: readonly TestOutcome[],
): Promise<void> {
  const tools = subjects.flatMap(({ folder, tools: own }) =>
    own.filter((tool) => isServed(tool, folder, catalog)),
  )
  if (tools.length === 0) return
  await keeping(loaded, (keeper) => tellOutcomes(keeper, tools, outcomes))
  if (loaded.config.statistics === 'on') writeMetadata(catalog, openStatistics(statisticsFolder(loaded.home)))
}

/** Those that decided that a package may be installed: the first that is known of it. */
export async function recordGate(
  loaded: LoadedConfig,
  tools: readonly Tool[],
  outcomes: readonly TestOutcome[],
): Promise<void> {
  await keeping(loaded, (keeper) => tellOutcomes(keeper, tools, outcomes))
}

async function keeping(loaded: LoadedConfig, work: (keeper: StatisticsKeeper) => void): Promise<void> {
  const { home, config } = loaded
  // What tests found is on the screen; that it could not be kept is no part of it.
  const keeper = keepStatistics({ home, isOn: () => config.statistics === 'on', onProblem() {} })
  work(keeper)
  await keeper.close()
}

function tellOutcomes(
  keeper: StatisticsKeeper,
  tools: readonly Tool[],
  outcomes: readonly TestOutcome[],
): void {
  const at = Date.now()
  for (const [name, all] of byTool(outcomes)) {
    const tool = tools.find((one) => one.name === name)
    const ran = all.filter(({ status }) => status !== 'skipped')
    if (tool === undefined || ran.length === 0) continue
    const failed = ran.filter(({ status }) => status === 'failed').length
    const ms = ran.filter(({ runs }) => runs > 0).map((one) => one.ms)
    keeper.tested(name, tool.version, { passed: ran.length - failed, failed, at, ms })
  }
}

/** By the folder of its package: what was tested may have been a copy. */
function isServed({ name }: Tool, folder: string, { tools }: Catalog): boolean {
  const served = tools.get(name)?.origin
  return served?.kind === 'package' && served.folder === folder
}
