import { join } from 'node:path'
import type { Capsule, Catalog } from '../model/index.ts'
import { comparePaths, type Scan } from '../platform/index.ts'
import { createLooseReader, type LooseFindings, scanTools } from './loose.ts'
import { isChain, judgeChains } from './mcpkg-chains.ts'
import { findMcpkgFolders, type McpkgFolders } from './mcpkg-folders.ts'
import { createOpeningCache } from './opening-cache.ts'
import {
  createPackageReader,
  type FoundPackage,
  type McpkgWorld,
  type PackageFindings,
  type PackageGuard,
  type PackageQuery,
} from './packages.ts'
import { type Finding, snapshot } from './snapshot.ts'

export interface Discovered {
  /** The same object as before when nothing has changed. */
  readonly catalog: Catalog
  /** The tools folder does not exist (yet). */
  readonly missing: boolean
  /** Folders to watch, */
  readonly directories: readonly string[]
  /** and files elsewhere: those to which links in them lead, and those that are missing. */
  readonly linked: readonly string[]
  /** Every package, those that do not serve too. */
  readonly packages: readonly FoundPackage[]
  readonly capsules: readonly Capsule[]
}

export interface Where {
  readonly toolsDir: string
  /** Packages for every project; null leaves them out. */
  readonly globalDir: string | null
  readonly versions: Readonly<Record<string, string>>
  /** Where tools run. */
  readonly cwd: string
  readonly offered?: PackageQuery['offered']
  /** Absent: nothing is known of this machine, and schemas are taken as they are. */
  readonly mcpkg?: McpkgWorld
  /** Absent: packages are taken as they are. */
  readonly guard?: PackageGuard
  /** Where to keep what the files said, for the next process; absent: nowhere. */
  readonly cacheDir?: string
}

export interface Discovery {
  /** Everything that is there now. The catalog stays what it is, whatever becomes of the files. */
  scan(where: Where): Promise<Discovered>
  /** Packages, and of the files only what may be the tool of that name; null: none of them. */
  look(where: Where, name: string | null): Promise<Discovered>
  /** Keeps what was read for the next process. Worth calling once the catalog was used, when nobody waits. */
  flush(): void
}

/** Turns folders of executables and packages into a catalog, again and again. */
export function createDiscovery(): Discovery {
  const loose = createLooseReader()
  const readPackages = createPackageReader()
  let globalScan: Scan | undefined
  let shelf: McpkgFolders | undefined
  let last: { readonly catalog: Catalog; readonly found: PackageFindings } | undefined

  return {
    async scan(where) {
      const { toolsDir, cwd, cacheDir } = where
      const cache = cacheDir === undefined ? undefined : createOpeningCache(cacheDir)
      const files = await loose.scan(toolsDir, cwd, cache)
      const found = await findPackages(where, files)
      const isSame = last !== undefined && files.unchanged && isSameFindings(last.found, found)
      const catalog = isSame && last ? last.catalog : combine(files, found)
      last = { catalog, found }
      return discovered(catalog, files, found)
    },
    async look(where, name) {
      const files = await loose.look(where.toolsDir, where.cwd, name)
      const found = await findPackages(where, files)
      // A chain calls other tools, and whether they are there shows only when all are known.
      if (found.tools.some((tool) => tool.name === name && isChain(tool))) return this.scan(where)
      return discovered(combine(files, found, false), files, found)
    },
    flush: () => loose.flush(),
  }

  async function findPackages(where: Where, files: LooseFindings): Promise<PackageFindings> {
    const { toolsDir, globalDir, versions, cwd, offered = () => undefined, mcpkg, guard } = where
    globalScan = globalDir === null || globalDir === toolsDir ? undefined : scanGlobal(globalDir, globalScan)
    const global = globalScan?.packages ?? []
    shelf = findMcpkgFolders(join(cwd, '.mcp'))
    const own = [...files.scan.packages, ...shelf.packages]
    const project = [...new Map(own.map((one) => [one.path, one])).values()]
    const found = await readPackages({ project, global, versions, cwd, offered, mcpkg, guard })
    return { ...found, problems: [...found.problems, ...shelf.problems] }
  }

  function discovered(catalog: Catalog, { scan }: LooseFindings, found: PackageFindings): Discovered {
    return {
      catalog,
      missing: scan.missing,
      directories: [...scan.directories, ...(globalScan?.directories ?? []), ...(shelf?.directories ?? [])],
      linked: [...scan.linked, ...(shelf?.expected ?? []), ...found.awaited],
      packages: found.packages,
      capsules: found.capsules,
    }
  }
}

/** Executables that lie loose among the global packages are nobody's tools. */
function scanGlobal(root: string, previous: Scan | undefined): Scan {
  return scanTools(root, { previous, isWanted: () => false })
}

/** The project's files and packages in path order, then everyone's packages: the first of a name serves. */
function combine(loose: LooseFindings, found: PackageFindings, isWhole = true): Catalog {
  const namesOf = () => loose.all().flatMap(({ tool }) => tool?.name ?? [])
  const { tools, problems: broken } = isWhole
    ? judgeChains(found, namesOf)
    : { tools: found.tools, problems: [] }
  const problems = [...found.problems, ...broken]
  const { documents, prompts } = found
  const findings = tools.map((tool): Finding => ({ tool, problems: [] }))
  const own = findings.filter((finding) => !isGlobal(finding))
  const global = findings.filter(isGlobal)
  const isNamed = (name: string) => (finding: Finding) => finding.tool?.name === name
  const catalog = snapshot({
    all: () => [...inPathOrder(loose.all(), own), ...global, { problems }],
    named: (name) => [
      ...inPathOrder(loose.named(name), own.filter(isNamed(name))),
      ...global.filter(isNamed(name)),
    ],
  })
  return documents.length === 0 && prompts.length === 0 ? catalog : { ...catalog, documents, prompts }
}

function inPathOrder(files: readonly Finding[], packages: readonly Finding[]): readonly Finding[] {
  if (packages.length === 0) return files
  return [...files, ...packages].sort((a, b) => comparePaths(fileOf(a), fileOf(b)))
}

/** What gave no tool takes no name from another: its place does not matter. */
function fileOf({ tool }: Finding): string {
  return tool?.origin.file ?? ''
}

function isGlobal({ tool }: Finding): boolean {
  return tool?.origin.kind === 'package' && tool.origin.scope === 'global'
}

function isSameFindings(a: PackageFindings, b: PackageFindings): boolean {
  return (
    a.tools.length === b.tools.length &&
    a.tools.every((tool, index) => tool === b.tools[index]) &&
    JSON.stringify([a.problems, a.documents, a.prompts]) ===
      JSON.stringify([b.problems, b.documents, b.prompts])
  )
}
