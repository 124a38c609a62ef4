import { relative } from 'node:path'
import { createDiscovery } from '../catalog/index.ts'
import type { JsonSchema, Problem, Tool } from '../model/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import type { World } from './world.ts'

export interface ToolListing {
  readonly tools: readonly ListedTool[]
  readonly problems: readonly Problem[]
  readonly toolsDir: string
  readonly missing: boolean
}

export interface ListedTool {
  readonly name: string
  readonly version: string
  readonly mode: 'loose'
  readonly file: string
  readonly description: string
  readonly input_schema: JsonSchema | null
  readonly output_schema: JsonSchema | null
}

/** What a server of this configuration would serve. */
export async function listTools(world: World, request: ConfigRequest): Promise<ToolListing> {
  const { config, root } = await loadConfig(world, request)
  const { catalog, missing } = await createDiscovery().scan({ toolsDir: config.toolsDir, cwd: root })
  const tools = [...catalog.tools.values()].sort(byName).map(
    (tool): ListedTool => ({
      name: tool.name,
      version: tool.version,
      mode: tool.origin.kind,
      file: relative(world.cwd, tool.origin.file) || tool.origin.file,
      description: tool.description,
      input_schema: tool.inputSchema ?? null,
      output_schema: tool.outputSchema ?? null,
    }),
  )
  return { tools, problems: catalog.problems, toolsDir: config.toolsDir, missing }
}

function byName(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1
}
