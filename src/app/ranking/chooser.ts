import { type Chooser, createChooser, openStatistics } from '../../catalog/index.ts'
import { type Config, OrlaError, type ToolStatistics } from '../../model/index.ts'
import { statisticsFolder } from '../statistics/keep.ts'

/** Chooses by what this machine knows from before and what comes of the calls that follow. */
export function openChooser(home: string, settings: () => Config['ranking']): Chooser {
  return createChooser({ settings, history: () => readHistory(home) })
}

/** A call does not fail because nothing is known from before. */
function readHistory(home: string): readonly ToolStatistics[] {
  try {
    return openStatistics(statisticsFolder(home)).all()
  } catch (error) {
    if (error instanceof OrlaError || (error instanceof Error && 'code' in error)) return []
    throw error
  }
}
