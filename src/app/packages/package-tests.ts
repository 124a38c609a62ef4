import { join } from 'node:path'
import {
  type JsonPath,
  judge,
  loadJsonPath,
  packageTool,
  parseShebang,
  readTestCase,
  type TestCase,
} from '../../formats/index.ts'
import type { CallResult, Catalog, Json, Manifest } from '../../model/index.ts'
import { createNodeStarter, listFolder, lookAtProgram, readTextIfThere } from '../../platform/index.ts'
import { createCallTool } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import { toolEnvironment, type World } from '../world.ts'

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
): Promise<string[]> {
  const outcomes = await testPackage(world, loaded, folder, manifest)
  return outcomes.flatMap(({ name, failures }) => failures.map((failure) => `${name}: ${failure}`))
}

/** Every tests/*.test.json of a package, on the package as it lies in `folder`. */
export async function testPackage(
  world: World,
  loaded: LoadedConfig,
  folder: string,
  manifest: Manifest,
): Promise<TestOutcome[]> {
  const files = listFolder(join(folder, 'tests'))
    .filter((name) => name.endsWith('.test.json'))
    .sort()
  if (files.length === 0 || manifest.runtime.mode !== 'simple') return []
  const starter = createNodeStarter()
  const environment = toolEnvironment(world)
  const program = lookAtProgram(join(folder, manifest.entrypoint))
  const tool = packageTool(manifest, {
    folder,
    scope: 'project',
    cwd: folder,
    shebang: program.kind === 'file' ? parseShebang(program.firstLine) : null,
    digest: folder,
  })
  const catalog: Catalog = { tools: new Map([[tool.name, tool]]), problems: [] }
  const { limits, timeoutMs } = loaded.config
  const jsonPath = await loadJsonPath()
  const outcomes: TestOutcome[] = []
  try {
    for (const name of files) {
      const file = join(folder, 'tests', name)
      const { testCase, problems } = readTestCase(readTextIfThere(file) ?? '', file, jsonPath)
      if (testCase === undefined) {
        outcomes.push({ name, file, failures: problems.map(({ message }) => message), ms: 0 })
        continue
      }
      const callTool = createCallTool({
        starter,
        settings: () => ({
          timeoutMs: testCase.timeoutMs ?? timeoutMs,
          concurrency: 1,
          outputBytes: limits.outputBytes,
        }),
        environment: () => environment,
      })
      const result = await callTool({
        catalog,
        name: tool.name,
        arguments: testCase.input,
        signal: new AbortController().signal,
        caller: { connection: 'test', requestId: name, transport: 'cli', era: 'none' },
      })
      outcomes.push({
        name: testCase.name,
        file,
        failures: failuresOf(testCase, result, jsonPath),
        ms: result.ms,
      })
    }
  } finally {
    await starter.close()
  }
  return outcomes
}

function failuresOf(testCase: TestCase, result: CallResult, jsonPath: JsonPath): readonly string[] {
  if (!result.ok) return [result.message]
  return judge(testCase, resultOf(result), jsonPath)
}

/** What assertions look at: the structured value, JSON that was printed, or the streams. */
function resultOf({ output }: CallResult): Json {
  if (output.kind === 'value') return output.value
  if (output.kind === 'none') return null
  try {
    return JSON.parse(output.stdout.text) as Json // JSON.parse yields nothing else
  } catch {
    return { stdout: output.stdout.text, stderr: output.stderr.text, exit_code: output.exitCode }
  }
}
