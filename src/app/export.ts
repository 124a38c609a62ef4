import { resolve } from 'node:path'
import { createDiscovery } from '../catalog/index.ts'
import { type ExportFormat, exportTools, loadJsonPath, wireNames } from '../formats/index.ts'
import type { Tool } from '../model/index.ts'
import { writeFileAtomic } from '../platform/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import { describeWithExample } from './describe.ts'
import { exampleWords, testWords } from './export-words.ts'
import { openOfferedTools } from './offered-tools.ts'
import { whereOf } from './where.ts'
import type { World } from './world.ts'

export interface ExportRequest {
  readonly format: ExportFormat
  /** Instead of returning the text. */
  readonly file?: string
  /** Tell the model the examples of the packages, and what their tests show. */
  readonly examples: boolean
  readonly tests: boolean
}

export interface Exported {
  readonly text: string
  readonly count: number
  /** Where it was written. */
  readonly file: string | null
  /** MCP servers whose tools nobody knows yet. */
  readonly unasked: readonly string[]
  /** By tool, how many examples and tests had no room in its description. */
  readonly cut: ReadonlyMap<string, number>
}

/** Every tool that a server of this configuration would serve, for another runtime to read. */
export async function exportCatalog(
  world: World,
  config: ConfigRequest,
  request: ExportRequest,
): Promise<Exported> {
  const loaded = await loadConfig(world, config)
  const offered = openOfferedTools(loaded.home)
  const where = whereOf(loaded, offered)
  const { catalog, capsules } = await createDiscovery().scan(where)
  const { nameStyle, describeWithExamples } = loaded.config
  const names = wireNames([...catalog.tools.keys()], nameStyle)
  // With --examples they stand there anyway.
  const describe =
    describeWithExamples && !request.examples
      ? describeWithExample(() => catalog)
      : ({ description }: Tool) => description
  const jsonPath = await loadJsonPath()
  const cut = new Map<string, number>()
  const tools = await Promise.all(
    [...catalog.tools.values()].map(async (tool) => {
      const more = [
        ...(request.examples ? [await exampleWords(tool)] : []),
        ...(request.tests ? [await testWords(tool, jsonPath)] : []),
      ]
      const leftOut = more.reduce((sum, one) => sum + one.leftOut, 0)
      if (leftOut > 0) cut.set(tool.name, leftOut)
      const description = [describe(tool), ...more.flatMap(({ words }) => words)].join('\n\n')
      return { tool, name: names.get(tool.name) ?? tool.name, description }
    }),
  )
  const text = exportTools(tools, request.format)
  const file = request.file === undefined ? null : resolve(world.cwd, request.file)
  if (file !== null) writeFileAtomic(file, text)
  const unasked = capsules.filter((one) => one.handshake === 'mcp' && offered.of(one) === undefined)
  return { text, count: tools.length, file, unasked: unasked.map(({ name }) => name), cut }
}
