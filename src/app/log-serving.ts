import type { Catalog, Log, LogFields } from '../model/index.ts'
import type { LoadedConfig } from './config.ts'
import type { HttpAccess } from './http-access.ts'
import type { World } from './world.ts'

/** The record by which scripts know that the server answers. */
export function logServing(
  log: Log,
  url: string | null,
  loaded: LoadedConfig,
  catalog: Catalog,
  missing: boolean,
): void {
  const { config } = loaded
  const where =
    url === null ? { transport: 'stdio' } : { transport: 'http', url, port: Number(new URL(url).port) }
  log.info('serving', {
    ...where,
    tools: catalog.tools.size,
    problems: catalog.problems.length,
    tools_dir: config.toolsDir,
    config: loaded.file,
  })
  if (missing) {
    log.warn('the tools folder does not exist yet', {
      tools_dir: config.toolsDir,
      hint: config.watch
        ? 'it is picked up when it appears; `orla init` makes one with a sample'
        : '`orla init` makes one',
    })
  }
}

export function warnAboutAccess(log: Log, { warnings }: HttpAccess): void {
  for (const { message, hint } of warnings) log.warn(message, { hint })
}

/** What nobody caught ends no server; the log has it. */
export function logPanics(world: World, log: Log): void {
  world.onPanic((error, kind) => {
    log.error(`recovered from ${kind}`, errorFields(error))
  })
}

/** Of a mistake in Orla itself. */
export function errorFields(error: unknown): LogFields {
  return error instanceof Error ? { error: error.message, stack: error.stack } : { error: String(error) }
}
