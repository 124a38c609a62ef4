import { join } from 'node:path'
import {
  contentListing,
  hasErrors,
  isContent,
  loadYaml,
  type ManifestReading,
  mcpkgAsManifest,
  type PlacedProblem,
  parseShebang,
  readManifest,
  readOrlaToolJson,
} from '../formats/index.ts'
import { type Manifest, type McpkgManifest, OrlaError, sha256 } from '../model/index.ts'
import { listTree, lookAtProgram, readTextIfThere, surveyTree, type TreeFile } from '../platform/index.ts'
import { type CheckKit, checkMcpkg } from './check-mcpkg.ts'
import { isHistory } from './working-copy.ts'

export interface CheckedPackage {
  /** Absent when one of the problems is an error. */
  readonly manifest?: Manifest
  /** The same as its author wrote it, when it is an .mcpkg. */
  readonly mcpkg?: McpkgManifest
  readonly problems: readonly PlacedProblem[]
  /** SHA-256 of the content listing, and the listing itself; empty without a manifest. */
  readonly digest: string
  readonly listing: string
  /** SHA-256 of the manifest file. */
  readonly manifestSha256: string
  /** Of every file, relative to the package. */
  readonly paths: readonly string[]
}

/** Everything that can be said about a package from its files alone. All problems, not only the first. */
export async function checkPackage(folder: string, kit: CheckKit = {}): Promise<CheckedPackage> {
  const { files, unsafe } = filesOf(folder, kit)
  const paths = files.map(({ path }) => path)
  const { source, manifest, mcpkg, problems: own } = await readAndCheck(folder, files, kit)
  const problems = [...own, ...unsafe]
  const manifestSha256 = sha256(source)
  if (manifest === undefined || hasErrors(problems))
    return { problems, digest: '', listing: '', manifestSha256, paths }
  const listing = contentListing(manifest.name, manifest.version, files)
  const digest = sha256(listing)
  return {
    manifest,
    ...(mcpkg === undefined ? {} : { mcpkg }),
    problems,
    digest,
    listing,
    manifestSha256,
    paths,
  }
}

/** tool.yaml wins over orla-tool.json, and both over manifest.json. */
async function readAndCheck(
  folder: string,
  files: readonly TreeFile[],
  kit: CheckKit,
): Promise<Pick<CheckedPackage, 'manifest' | 'mcpkg' | 'problems'> & { readonly source: string }> {
  const has = (name: string) => readTextIfThere(join(folder, name)) !== undefined
  const source = readTextIfThere(join(folder, 'manifest.json'))
  if (source === undefined || has('tool.yaml') || has('orla-tool.json')) {
    const { reading, source: text } = await readAnyManifest(folder)
    const { manifest } = reading
    const problems = [...reading.problems, ...checkFiles(folder, reading, files)]
    return { source: text, problems, ...(manifest === undefined ? {} : { manifest }) }
  }
  const paths = files.map(({ path }) => path)
  const { manifest: mcpkg, problems } = await checkMcpkg(
    folder,
    source,
    { paths, read: (path) => readTextIfThere(join(folder, path)) },
    kit,
  )
  if (mcpkg === undefined) return { source, problems }
  return { source, problems, mcpkg, manifest: mcpkgAsManifest(mcpkg) }
}

/** The manifest as it is written now, whatever else is in the folder. */
export async function writtenManifest(folder: string): Promise<Manifest | undefined> {
  return (await readAndCheck(folder, [], {})).manifest
}

/** The listing of everything in an installed package as it is now. A hook may have made links that lead outside. */
export function installedListing(folder: string, name: string, version: string): string {
  return contentListing(
    name,
    version,
    listTree(folder, (path) => !isContent(path), true),
  )
}

/** SHA-256 of the manifest file as it is now. */
export function manifestHash(folder: string): string {
  const [source = ''] = ['tool.yaml', 'orla-tool.json', 'manifest.json'].flatMap(
    (name) => readTextIfThere(join(folder, name)) ?? [],
  )
  return sha256(source)
}

async function readAnyManifest(folder: string): Promise<{ reading: ManifestReading; source: string }> {
  const yaml = join(folder, 'tool.yaml')
  const source = readTextIfThere(yaml)
  if (source !== undefined) return { reading: readManifest(source, yaml, await loadYaml(source)), source }
  const json = join(folder, 'orla-tool.json')
  const old = readTextIfThere(json)
  if (old !== undefined) return { reading: readOrlaToolJson(old, json), source: old }
  const problem: PlacedProblem = {
    file: folder,
    message: 'has neither a tool.yaml nor a manifest.json',
    hint: '`orla new NAME` makes a package',
    line: 1,
    column: 1,
    pointer: '',
    severity: 'error',
  }
  return {
    reading: { problems: [problem], problemAt: (_path, flaw) => ({ ...problem, ...flaw }) },
    source: '',
  }
}

/** A link that leaves the package, a socket: reported like everything else. */
function filesOf(
  folder: string,
  { isLeftOut = () => false, known }: CheckKit,
): { files: readonly TreeFile[]; unsafe: readonly PlacedProblem[] } {
  const place = { file: folder, line: 1, column: 1, pointer: '', severity: 'error' } as const
  try {
    const { files, unsafe } = surveyTree(folder, (path) => isHistory(path) || isLeftOut(path), false, known)
    return {
      files,
      unsafe: unsafe.map(({ message }) => ({ ...place, message: message.replace(`${folder}: `, '') })),
    }
  } catch (error) {
    if (!(error instanceof OrlaError)) throw error
    return { files: [], unsafe: [{ ...place, message: error.message }] }
  }
}

function checkFiles(folder: string, reading: ManifestReading, files: readonly TreeFile[]): PlacedProblem[] {
  const { entrypoint, postInstall, problemAt } = reading
  const problems: PlacedProblem[] = []
  if (entrypoint !== undefined) {
    const wrong = checkProgram(folder, entrypoint)
    if (wrong) problems.push(problemAt(['entrypoint'], wrong))
    // A link that leaves the package is not among its files, and told by itself.
    if (!entrypoint.startsWith('bin/') && !files.some(({ path }) => path.startsWith('bin/'))) {
      const message = 'is not in bin/, where executables live by convention'
      problems.push(problemAt(['entrypoint'], { message, severity: 'warning' }))
    }
  }
  const wrong = postInstall === undefined ? undefined : checkProgram(folder, postInstall)
  if (wrong) problems.push(problemAt(['hooks', 'post_install'], wrong))
  return problems
}

/** A file of the package that can be started: executable, or with an interpreter in its first line. */
function checkProgram(folder: string, path: string): { message: string; hint?: string } | undefined {
  const program = lookAtProgram(join(folder, path))
  switch (program.kind) {
    case 'missing':
      return { message: `names ${path}, which is not in the package` }
    case 'folder':
      return { message: `names ${path}, which is a folder` }
    case 'other':
      return { message: `names ${path}, which is not a file that can be read` }
    case 'file':
      if (program.firstLine.startsWith(LFS_POINTER)) {
        return {
          message: `names ${path}, which is a Git LFS pointer and not the program itself`,
          hint: 'only what git itself holds is installed: commit the program without LFS',
        }
      }
      if (program.executable || parseShebang(program.firstLine) !== null) return undefined
      return {
        message: `names ${path}, which is not executable and has no #! line`,
        hint: `chmod +x ${path}`,
      }
  }
}

const LFS_POINTER = 'version https://git-lfs.'
