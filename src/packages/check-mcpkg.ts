import { join } from 'node:path'
import {
  checkMcpkgFiles,
  LIGHT_JSON_PATH,
  LIGHT_PATTERNS,
  lightFirst,
  loadJsonPath,
  loadPatterns,
  type PlacedProblem,
  readMcpkgManifest,
  type SchemaJudges,
  type SchemaKit,
} from '../formats/index.ts'
import type { McpkgManifest } from '../model/index.ts'
import type { TreeFile } from '../platform/index.ts'

/** What else may be known when a package is checked. */
export interface CheckKit {
  readonly schemas?: SchemaJudges | undefined
  /** What was written into the folder just now, by whoever wrote it. */
  readonly known?: readonly TreeFile[]
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
  { schemas: judges = TAKES_ANY, tools: loadTools }: CheckKit = {},
): Promise<{ readonly manifest?: McpkgManifest; readonly problems: readonly PlacedProblem[] }> {
  const reading = await lightFirst(LIGHT_JSON_PATH, loadJsonPath, (jsonPath) =>
    readMcpkgManifest(source, join(folder, 'manifest.json'), jsonPath),
  )
  const files = { paths: new Set(paths), read }
  const tools = reading.value.chain === undefined ? undefined : await loadTools?.()
  const light = { jsonPath: LIGHT_JSON_PATH, patterns: LIGHT_PATTERNS, schemas: judges.light }
  const beside = await lightFirst(light, loadAll, (kit) =>
    checkMcpkgFiles(reading, files, { ...kit, ...(tools === undefined ? {} : { tools }) }),
  )
  const placed = beside.map((problem) =>
    problem.file.startsWith('/') ? problem : { ...problem, file: join(folder, problem.file) },
  )
  const problems = [...reading.problems, ...placed]
  return reading.manifest === undefined ? { problems } : { manifest: reading.manifest, problems }

  async function loadAll(): Promise<typeof light> {
    const [jsonPath, patterns, schemas] = await Promise.all([loadJsonPath(), loadPatterns(), judges.load()])
    return { jsonPath, patterns, schemas }
  }
}

const ANY: SchemaKit = { check: () => [], validate: () => [] }
const TAKES_ANY: SchemaJudges = { light: ANY, load: async () => ANY }
