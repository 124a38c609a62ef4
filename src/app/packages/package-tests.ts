import { join } from 'node:path'
import {
  type JsonPath,
  judge,
  loadJsonPath,
  type PackagePlace,
  packageCapsule,
  packageTools,
  parseShebang,
  readTestCase,
  type TestCase,
} from '../../formats/index.ts'
import type { CallResult, Catalog, Json, JsonObject, Manifest, Tool } from '../../model/index.ts'
import { listFolder, lookAtProgram, readTextIfThere } from '../../platform/index.ts'
import type { LoadedConfig } from '../config.ts'
import { type OneOff, openOneOff } from '../one-off.ts'
import type { World } from '../world.ts'

export interface TestOutcome {
  readonly name: string
  readonly file: string
  readonly failures: readonly string[]
  readonly ms: number
}

/** The names and reasons of the tests that failed. */
export async function runPackageTests(
  world: World,
  loaded: LoadedConfig,
  folder: string,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<string[]> {
  const outcomes = await testPackage(world, loaded, folder, manifest, signal)
  return outcomes.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))
}

/** Every tests/*.test.json of a package, on the package as it lies in `folder`. */
export async function testPackage(
  world: World,
  loaded: LoadedConfig,
  folder: string,
  manifest: Manifest,
  signal: AbortSignal = new AbortController().signal,
): Promise<TestOutcome[]> {
  const files = listFolder(join(folder, 'tests'))
    .filter((name) => name.endsWith('.test.json'))
    .sort()
  if (files.length === 0) return []
  const program = lookAtProgram(join(folder, manifest.entrypoint))
  const place: PackagePlace = {
    folder,
    scope: 'project',
    cwd: folder,
    shebang: program.kind === 'file' ? parseShebang(program.firstLine) : null,
    digest: folder,
    editable: false,
  }
  const runtime = openOneOff(world, loaded)
  const jsonPath = await loadJsonPath()
  const outcomes: TestOutcome[] = []
  try {
    const tools = await toolsOf(manifest, place, runtime)
    const catalog: Catalog = { tools: new Map(tools.map((tool) => [tool.name, tool])), problems: [] }
    for (const name of files) {
      const file = join(folder, 'tests', name)
      const { testCase, problems } = readTestCase(readTextIfThere(file) ?? '', file, jsonPath)
      const failures = problems.map(({ message }) => message)
      outcomes.push(
        testCase === undefined
          ? { name, file, failures, ms: 0 }
          : await runCase(testCase, file, { manifest, catalog, runtime, jsonPath, signal }),
      )
    }
  } finally {
    await runtime.close()
  }
  return outcomes
}

/** An MCP server has to be asked what it offers. */
async function toolsOf(manifest: Manifest, place: PackagePlace, runtime: OneOff): Promise<Tool[]> {
  if (manifest.runtime.handshake !== 'mcp') return packageTools(manifest, place)
  const offered = await runtime.offered(packageCapsule(manifest, place))
  return packageTools(manifest, place, () => offered)
}

interface Circumstances {
  readonly manifest: Manifest
  readonly catalog: Catalog
  readonly runtime: OneOff
  readonly jsonPath: JsonPath
  readonly signal: AbortSignal
}

async function runCase(
  testCase: TestCase,
  file: string,
  { manifest, catalog, runtime, jsonPath, signal }: Circumstances,
): Promise<TestOutcome> {
  const name = testCase.tool === undefined ? manifest.name : `${manifest.name}.${testCase.tool}`
  if (!catalog.tools.has(name)) {
    const known = [...catalog.tools.keys()].map((one) => one.slice(manifest.name.length + 1)).join(', ')
    const failure =
      testCase.tool === undefined
        ? `does not say which \`tool\` it is about; there are ${known}`
        : `there is no tool \`${testCase.tool}\`; there are ${known}`
    return { name: testCase.name, file, failures: [failure], ms: 0 }
  }
  const result = await runtime.callTool(testCase.timeoutMs)({
    catalog,
    name,
    arguments: testCase.input,
    signal,
    caller: { connection: 'test', requestId: testCase.name, transport: 'cli', era: 'none' },
  })
  return { name: testCase.name, file, failures: failuresOf(testCase, result, jsonPath), ms: result.ms }
}

function failuresOf(testCase: TestCase, result: CallResult, jsonPath: JsonPath): readonly string[] {
  if (!result.ok) return [result.message]
  return judge(testCase, resultOf(result), jsonPath)
}

/** What assertions look at: the structured value, JSON that was printed, or the streams. */
function resultOf({ output }: CallResult): Json {
  if (output.kind === 'value') return output.value
  if (output.kind === 'none') return null
  if (output.kind === 'content') return output.structured ?? contentValue(output.content)
  try {
    return JSON.parse(output.stdout.text) as Json // JSON.parse yields nothing else
  } catch {
    return { stdout: output.stdout.text, stderr: output.stderr.text, exit_code: output.exitCode }
  }
}

/** One text block that is JSON stands for its value. */
function contentValue(content: readonly JsonObject[]): Json {
  const [only, ...more] = content
  if (more.length > 0 || typeof only?.text !== 'string') return { content: [...content] }
  try {
    return JSON.parse(only.text) as Json // JSON.parse yields nothing else
  } catch {
    return { content: [...content] }
  }
}
