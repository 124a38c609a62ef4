import { createDiscovery } from '../../catalog/index.ts'
import type { CalledTool } from '../../formats/index.ts'
import type { Tool } from '../../model/index.ts'
import type { LoadedConfig } from '../config.ts'
import { whereOf } from '../where.ts'

/** What a chain finds here, by name. */
export async function servedTools(loaded: LoadedConfig): Promise<ReadonlyMap<string, CalledTool>> {
  const { catalog } = await createDiscovery().scan(whereOf(loaded))
  return new Map([...catalog.tools].map(([name, tool]) => [name, calledTool(tool)]))
}

/** A loose tool asks for nothing: it is its owner's own. */
export function calledTool({ origin, run }: Tool): CalledTool {
  return {
    permissions: origin.kind === 'package' ? (origin.package.permissions ?? []) : [],
    calls: run.kind === 'chain' ? [...new Set(run.steps.map(({ tool }) => tool))] : [],
  }
}
