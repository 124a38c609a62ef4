import { join } from 'node:path'
import { loadYaml, readPrompt } from '../formats/index.ts'
import type { Document, Problem, Prompt } from '../model/index.ts'
import { isFolder, listFolder, lookAtProgram, readTextIfThere, realPathBelow } from '../platform/index.ts'
import type { PackageFolder } from './package-folder.ts'

/** What a package brings for models to read, beside its tools. */
export interface Reading {
  readonly documents: readonly Document[]
  readonly prompts: readonly Prompt[]
  readonly problems: readonly Problem[]
}

/** Remembers what it read: an installed copy is not to change. `names` are what lies at the top of the folder. */
export function createDocumentReader(): (
  folder: PackageFolder,
  names: readonly string[],
) => Promise<Reading> {
  const known = new WeakMap<PackageFolder, Reading>()
  return async (folder, names) => {
    // Most packages bring nothing, and then nobody has to look.
    if (folder.mcpkg === undefined && !FOLDERS.some((name) => names.includes(name))) return NOTHING
    const before = known.get(folder)
    if (before !== undefined) return before
    const reading = await read(folder)
    if (folder.receipt !== undefined) known.set(folder, reading)
    return reading
  }
}

const FOLDERS = ['prompts', 'examples', 'tests']
const NOTHING: Reading = { documents: [], prompts: [], problems: [] }

async function read(folder: PackageFolder): Promise<Reading> {
  try {
    return await readAll(folder)
  } catch (error) {
    // Its tools serve all the same.
    const message = `its examples, tests or prompts cannot be read: ${(error as Error).message}`
    return { documents: [], prompts: [], problems: [{ file: folder.path, message }] }
  }
}

async function readAll(folder: PackageFolder): Promise<Reading> {
  const { prompts, problems } = await readPrompts(folder)
  return {
    documents: [...documentsOf(folder, 'examples'), ...documentsOf(folder, 'tests')],
    prompts,
    problems,
  }
}

type Kind = 'examples' | 'tests'

/** An .mcpkg lists its files; of other packages everything in the folder of that name counts. */
function documentsOf({ path, manifest, mcpkg }: PackageFolder, kind: Kind): Document[] {
  const files = mcpkg?.[kind] ?? filesIn(path, kind, kind === 'tests' ? /\.test\.json$/ : TEXTS)
  return files.flatMap((file) => {
    // Clients read it through Orla, which may read more than the package.
    const real = realPathBelow(path, join(path, file))
    if (real === undefined || lookAtProgram(real).kind !== 'file') return []
    const below = file.startsWith(`${kind}/`) ? file.slice(kind.length + 1) : file
    const spelled = below.split('/').map(encodeURIComponent).join('/')
    return [
      {
        uri: `orla://tool/${manifest.name}/${kind}/${spelled}`,
        name: `${manifest.name}/${kind}/${below}`,
        description: kind === 'tests' ? `A test of ${manifest.name}` : `How ${manifest.name} is used`,
        mimeType: mimeTypeOf(file),
        file: real,
      },
    ]
  })
}

const TEXTS = /\.(?:md|markdown|txt|json|ya?ml|csv|html?|sh|py|js|ts)$/i

function mimeTypeOf(file: string): string {
  if (/\.(?:md|markdown)$/i.test(file)) return 'text/markdown'
  if (/\.json$/i.test(file)) return 'application/json'
  if (/\.ya?ml$/i.test(file)) return 'application/yaml'
  return 'text/plain'
}

async function readPrompts({ path, manifest }: PackageFolder): Promise<Omit<Reading, 'documents'>> {
  const files = filesIn(path, 'prompts', /\.md$/).filter((name) => realPathBelow(path, join(path, name)))
  if (files.length === 0) return { prompts: [], problems: [] }
  const readYaml = await loadYaml()
  const readings = files.map((name) => {
    const file = join(path, name)
    return readPrompt(readTextIfThere(file) ?? '', file, manifest.name, readYaml)
  })
  const prompts = readings.flatMap(({ prompt }) => prompt ?? [])
  return {
    prompts: [...new Map(prompts.map((prompt) => [prompt.name, prompt])).values()],
    problems: readings.flatMap(({ problems }) => problems),
  }
}

function filesIn(path: string, folder: string, pattern: RegExp): string[] {
  // Asking is quicker than failing.
  if (!isFolder(join(path, folder))) return []
  return listFolder(join(path, folder))
    .filter((name) => !name.startsWith('.') && pattern.test(name))
    .sort()
    .map((name) => `${folder}/${name}`)
}
