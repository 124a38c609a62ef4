import type { Capsule, Catalog, Tool } from '../model/index.ts'
import { comparePaths, type Scan } from '../platform/index.ts'
import { createLooseReader, type LooseFinding, scanTools } from './loose.ts'
import {
  createPackageReader,
  type FoundPackage,
  type PackageFindings,
  type PackageQuery,
} from './packages.ts'
import { snapshot } from './snapshot.ts'

export interface Discovered {
  /** The same object as before when nothing has changed. */
  readonly catalog: Catalog
  /** The tools folder does not exist (yet). */
  readonly missing: boolean
  /** Folders to watch, */
  readonly directories: readonly string[]
  /** and files elsewhere to which links in them lead. */
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
}

export interface Discovery {
  scan(where: Where): Promise<Discovered>
}

/** Turns folders of executables and packages into a catalog, again and again. */
export function createDiscovery(): Discovery {
  const readLoose = createLooseReader()
  const readPackages = createPackageReader()
  let globalScan: Scan | undefined
  let last: { readonly catalog: Catalog; readonly found: PackageFindings } | undefined

  return {
    async scan({ toolsDir, globalDir, versions, cwd, offered = () => undefined }) {
      const loose = await readLoose(toolsDir, cwd)
      globalScan =
        globalDir === null || globalDir === toolsDir ? undefined : scanGlobal(globalDir, globalScan)
      const found = await readPackages({
        project: loose.scan.packages,
        global: globalScan?.packages ?? [],
        versions,
        cwd,
        offered,
      })
      const isSame = last !== undefined && loose.unchanged && isSameFindings(last.found, found)
      const catalog = isSame && last ? last.catalog : combine(loose.findings, found)
      last = { catalog, found }
      return {
        catalog,
        missing: loose.scan.missing,
        directories: [...loose.scan.directories, ...(globalScan?.directories ?? [])],
        linked: loose.scan.linked,
        packages: found.packages,
        capsules: found.capsules,
      }
    },
  }
}

/** Executables that lie loose among the global packages are nobody's tools. */
function scanGlobal(root: string, previous: Scan | undefined): Scan {
  return scanTools(root, { headEnd: () => 0, ...(previous ? { previous } : {}) })
}

/** The project's files and packages in path order, then everyone's packages: the first of a name serves. */
function combine(loose: readonly LooseFinding[], { tools, problems }: PackageFindings): Catalog {
  const own = tools
    .filter((tool) => !isGlobal(tool))
    .map((tool) => ({ path: tool.origin.file, tool, problems: [] }))
  const project = own.length === 0 ? loose : [...loose, ...own].sort((a, b) => comparePaths(a.path, b.path))
  const global = tools.filter(isGlobal).map((tool) => ({ tool, problems: [] }))
  return snapshot([...project, ...global, { problems }])
}

function isGlobal(tool: Tool): boolean {
  return tool.origin.kind === 'package' && tool.origin.scope === 'global'
}

function isSameFindings(a: PackageFindings, b: PackageFindings): boolean {
  return (
    a.tools.length === b.tools.length &&
    a.tools.every((tool, index) => tool === b.tools[index]) &&
    JSON.stringify(a.problems) === JSON.stringify(b.problems)
  )
}
