import { join } from 'node:path'
import {
  checkMcpkgFiles,
  loadJsonPath,
  loadPatterns,
  type PlacedProblem,
  readMcpkgManifest,
  type SchemaKit,
} from '../formats/index.ts'
import type { McpkgManifest } from '../model/index.ts'

/** Loads what judges JSON Schemas. It comes from outside: those who run tools know it already. */
export type LoadSchemas = () => Promise<SchemaKit>

/** What else may be known when a package is checked. */
export interface CheckKit {
  readonly schemas?: LoadSchemas | undefined
  /** Files and folders that are not taken for a part of the package. */
  readonly isLeftOut?: (path: string) => boolean
  /** The names of the tools that a chain can call; undefined when nobody knows. */
  readonly tools?: () => Promise<readonly string[] | undefined>
}

interface Content {
  readonly paths: readonly string[]
  readonly read: (path: string) => string | undefined
}

/** Everything that can be said about an .mcpkg from its files alone; every problem at once. */
export async function checkMcpkg(
  folder: string,
  source: string,
  { paths, read }: Content,
  { schemas: loadSchemas = async () => TAKES_ANY, tools: loadTools }: CheckKit = {},
): Promise<{ readonly manifest?: McpkgManifest; readonly problems: readonly PlacedProblem[] }> {
  const [jsonPath, patterns, schemas] = await Promise.all([loadJsonPath(), loadPatterns(), loadSchemas()])
  const reading = readMcpkgManifest(source, join(folder, 'manifest.json'), jsonPath)
  const files = { paths: new Set(paths), read }
  const tools = reading.value.chain === undefined ? undefined : await loadTools?.()
  const kit = { jsonPath, patterns, schemas, ...(tools === undefined ? {} : { tools }) }
  const beside = checkMcpkgFiles(reading, files, kit).map((problem) =>
    problem.file.startsWith('/') ? problem : { ...problem, file: join(folder, problem.file) },
  )
  const problems = [...reading.problems, ...beside]
  return reading.manifest === undefined ? { problems } : { manifest: reading.manifest, problems }
}

const TAKES_ANY: SchemaKit = { check: () => [], validate: () => [] }
