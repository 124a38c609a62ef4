import { basename, resolve } from 'node:path'
import { createDiscovery } from '../catalog/index.ts'
import {
  type ExportFormat,
  exportTools,
  type JsonPath,
  loadJsonPath,
  readTestCase,
  type TestCase,
} from '../formats/index.ts'
import { OrlaError, type Tool } from '../model/index.ts'
import { readTextIfThere, writeFileAtomic } from '../platform/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import { openOfferedTools } from './offered-tools.ts'
import { examplesOf, testsOf } from './package-files.ts'
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
  const jsonPath = await loadJsonPath()
  const tools = await Promise.all(
    [...catalog.tools.values()].map(async (tool) => {
      const more = [
        ...(request.examples ? await exampleWords(tool) : []),
        ...(request.tests ? await testWords(tool, jsonPath) : []),
      ]
      return { tool, description: [tool.description, ...more].join('\n\n') }
    }),
  )
  const text = exportTools(tools, request.format)
  const file = request.file === undefined ? null : resolve(world.cwd, request.file)
  if (file !== null) writeFileAtomic(file, text)
  const unasked = capsules.filter((one) => one.handshake === 'mcp' && offered.of(one) === undefined)
  return { text, count: tools.length, file, unasked: unasked.map(({ name }) => name) }
}

async function exampleWords({ origin }: Tool): Promise<string[]> {
  if (origin.kind !== 'package') return []
  const files = await examplesOf(origin.folder)
  return files.flatMap((file) => {
    const text = textOf(file)?.trim()
    return text ? [`Example ${basename(file)}:\n${text}`] : []
  })
}

async function testWords(tool: Tool, jsonPath: JsonPath): Promise<string[]> {
  const { origin } = tool
  if (origin.kind !== 'package') return []
  const cases = (await testsOf(origin.folder)).flatMap((file) => {
    const { testCase } = readTestCase(textOf(file) ?? '', file, jsonPath)
    return testCase !== undefined && isAbout(testCase, tool) ? [testCase] : []
  })
  return cases.length === 0 ? [] : [['Tested with:', ...cases.map(caseWords)].join('\n')]
}

/** A test names its tool where a package has several, without the name of the package. */
function isAbout({ tool }: TestCase, { name }: Tool): boolean {
  return tool === undefined || name === tool || name.endsWith(`.${tool}`)
}

function caseWords({ name, description, input, expected }: TestCase): string {
  const about = description === undefined ? '' : ` (${description})`
  const result = expected === undefined ? '' : ` gives ${JSON.stringify(expected)}`
  return `- ${name}${about}: ${JSON.stringify(input)}${result}`
}

/** A file that cannot be read helps no model and stops nobody. */
function textOf(file: string): string | undefined {
  try {
    return readTextIfThere(file)
  } catch (error) {
    if (error instanceof OrlaError) return undefined
    throw error
  }
}
