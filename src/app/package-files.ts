import { join } from 'node:path'
import { loadJsonPath, readMcpkgManifest } from '../formats/index.ts'
import type { McpkgManifest } from '../model/index.ts'
import { listFolder, readTextIfThere, realPath, realPathBelow } from '../platform/index.ts'

/** The tests of a package: those that manifest.json lists, all in tests/ where there is none. */
export async function testsOf(folder: string): Promise<string[]> {
  return filesOf(folder, 'tests', '.test.json')
}

/** Its examples, likewise. */
export async function examplesOf(folder: string): Promise<string[]> {
  return filesOf(folder, 'examples', '.md')
}

async function filesOf(folder: string, key: 'tests' | 'examples', ending: string): Promise<string[]> {
  const listed = await listedIn(folder)
  const paths =
    listed?.[key] ??
    listFolder(join(folder, key))
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => `${key}/${name}`)
  // Orla reads them itself, and may read more than the package.
  const isLedAway = (path: string) => realPath(path) !== path && realPathBelow(folder, path) === undefined
  return paths.map((path) => join(folder, path)).filter((path) => !isLedAway(path))
}

/** tool.yaml wins, and lists nothing. */
async function listedIn(folder: string): Promise<Pick<McpkgManifest, 'tests' | 'examples'> | undefined> {
  const file = join(folder, 'manifest.json')
  if (readTextIfThere(join(folder, 'tool.yaml')) !== undefined) return undefined
  const text = readTextIfThere(file)
  if (text === undefined) return undefined
  return readMcpkgManifest(text, file, await loadJsonPath()).manifest ?? { tests: [], examples: [] }
}
