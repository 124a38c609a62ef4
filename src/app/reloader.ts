import type { Where } from '../catalog/index.ts'
import { type Log, OrlaError, type ServerRecord } from '../model/index.ts'
import type { LoadedConfig } from './config.ts'
import type { LiveCatalog, Refreshed } from './live-catalog.ts'
import type { RecordKeeper } from './server-record.ts'

export interface Reloader {
  reload(trigger: string): void
}

interface Deps {
  readonly log: Log
  readonly record: RecordKeeper
  readonly live: LiveCatalog
  readonly load: () => Promise<LoadedConfig>
  /** True when a setting differs from before. */
  readonly apply: (next: LoadedConfig) => boolean
  readonly where: (next: LoadedConfig) => Where
  readonly refreshed: (found: Refreshed) => void
  /** Where the server is at home now, for who looks for it. */
  readonly place: () => Pick<ServerRecord, 'root' | 'config' | 'tools_dir'>
}

/**
 * One reload at a time: requests that come while one runs become one more. The next state is built
 * completely before it replaces the old one; when that fails the old one stays and the log says why.
 */
export function createReloader(deps: Deps): Reloader {
  const { log, record, live } = deps
  let running = false
  let again: string | undefined
  let generation = 0

  return { reload: (trigger) => void reload(trigger) }

  async function reload(trigger: string): Promise<void> {
    if (running) {
      again = trigger
      return
    }
    running = true
    const begun = performance.now()
    let problem: string | null = null
    try {
      const next = await deps.load()
      const found = await live.refresh(deps.where(next))
      const changed = deps.apply(next) || found.changed
      deps.refreshed(found)
      const { tools, problems } = live.current()
      const fields = { trigger, tools: tools.size, problems: problems.length, changed }
      // Something touched a folder and all is as it was: nobody asked, nobody needs to know.
      const level = changed || trigger !== 'watch' ? 'info' : 'debug'
      log[level]('reloaded', { ...fields, duration_ms: Math.round(performance.now() - begun) })
    } catch (error) {
      problem = (error as Error).message
      const hint = error instanceof OrlaError ? error.hint : undefined
      log.error('reload failed; the state before it stays in force', { trigger, error: problem, hint })
    }
    generation++
    const { tools, problems } = live.current()
    record.update({
      generation,
      tools: tools.size,
      problems: problems.length,
      reload_error: problem,
      ...deps.place(),
    })
    running = false
    const next = again
    again = undefined
    if (next !== undefined) void reload(next)
  }
}
