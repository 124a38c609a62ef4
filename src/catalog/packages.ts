import {
  compareVersions,
  isPreRelease,
  type McpkgHost,
  type PackagePlace,
  packageCapsule,
  packageTools,
  parseRequirement,
  type SchemaJudges,
  satisfies,
} from '../formats/index.ts'
import {
  type Capsule,
  type Document,
  isToolName,
  type Manifest,
  type OfferedTool,
  type Pin,
  type Problem,
  type Prompt,
  type Receipt,
  type Tool,
} from '../model/index.ts'
import type { ScannedPackage } from '../platform/index.ts'
import { hidingProblem } from './hiding-tools.ts'
import { createDocumentReader } from './mcpkg-documents.ts'
import { chooseFor, type FoundMcpkg, toolOfMcpkg, UNKNOWN_HOST } from './mcpkg-tools.ts'
import {
  createFolderReader,
  type FolderAids,
  type InstalledAsIs,
  type PackageFolder,
} from './package-folder.ts'

/** A package that was found, and whether it serves. */
export interface FoundPackage {
  readonly manifest: Manifest
  readonly folder: string
  readonly scope: Scope
  /** Where it was installed from; a folder placed by hand has none. */
  readonly pin?: Pin
  /** Of the content, as its receipt says. */
  readonly digest?: string
  readonly linked: boolean
  readonly state: 'in use' | 'other version' | 'shadowed'
  /** Of an .mcpkg: its own manifest, and which of its implementations can run here. */
  readonly mcpkg?: FoundMcpkg
}

export interface PackageFindings {
  readonly packages: readonly FoundPackage[]
  readonly tools: readonly Tool[]
  readonly problems: readonly Problem[]
  /** Of those in use, whether their tools are known yet or not. */
  readonly capsules: readonly Capsule[]
  readonly documents: readonly Document[]
  readonly prompts: readonly Prompt[]
  /** Files that keep a package from being used as long as they are what they are. */
  readonly awaited: readonly string[]
}

/** What .mcpkg packages are judged by. */
export interface McpkgWorld {
  readonly host: McpkgHost
  readonly schemas: SchemaJudges
}

/** A package that was installed, as it lies there now. */
export interface InstalledFolder {
  readonly folder: string
  readonly scope: 'project' | 'global'
  readonly receipt: Receipt
  readonly manifest: Manifest
}

/** Who remembers what was installed and accepted. */
export interface PackageGuard {
  /** For all packages of one scan: what they are held to is read once. */
  forScan(): ScanGuard
  /** Tools of an MCP server that wait until someone accepts what they say. */
  withheld(capsule: Capsule): readonly Problem[]
}

export interface ScanGuard {
  /** What an installed package is known to be, as long as nothing in its folder changed. Undefined: someone has to read it. */
  known(folder: string): InstalledAsIs | undefined
  /** Why an installed package does not serve: it is not what was installed. */
  refusal(found: InstalledFolder): Promise<Problem | undefined>
  /** What was found out is kept for the next process. */
  end(): void
}

export interface PackageQuery {
  /** Package folders, by scope. */
  readonly project: readonly ScannedPackage[]
  readonly global: readonly ScannedPackage[]
  /** Versions someone chose, by name, with or without `v`. */
  readonly versions: Readonly<Record<string, string>>
  readonly cwd: string
  /** What the MCP server in a capsule offers; undefined as long as nobody has asked it. */
  readonly offered: (capsule: Capsule) => readonly OfferedTool[] | undefined
  readonly mcpkg: McpkgWorld | undefined
  readonly guard: PackageGuard | undefined
}

type Scope = 'project' | 'global'
type Scoped = PackageFolder & {
  readonly scope: Scope
  /** As it was read: the same object as long as nothing changed. */
  readonly folder: PackageFolder
  readonly names: readonly string[]
}

/** Reads package folders again and again; one that did not change stays the same tool. */
export function createPackageReader(): (query: PackageQuery) => Promise<PackageFindings> {
  const readFolder = createFolderReader()
  const readDocuments = createDocumentReader()
  let made = new Map<string, Tool>()

  return async ({ project, global, versions, cwd, offered, mcpkg: world, guard }) => {
    const folders: Scoped[] = []
    const problems: Problem[] = []
    const awaited: string[] = []
    const changed: { readonly name: string; readonly version: string }[] = []
    const held = guard?.forScan()
    const aids: FolderAids = { schemas: world?.schemas, known: (folder) => held?.known(folder) }
    for (const [scope, places] of [
      ['project', project],
      ['global', global],
    ] as const) {
      for (const place of places) {
        const reading = await readFolder(place, aids)
        const { folder } = reading
        problems.push(...reading.problems)
        if (reading.changed) changed.push(reading.changed)
        if (reading.awaited !== undefined) awaited.push(reading.awaited)
        if (folder) folders.push({ ...folder, scope, folder, names: place.names })
      }
    }
    const chosen = chooseAll(folders, versions, problems)
    // What is refused keeps its name: another version does not step in because someone damaged this one.
    const refused = held === undefined ? new Set() : await refusals([...chosen.values()], held, problems)
    held?.end()
    const inUse = new Map(
      [...chosen].filter(([name, one]) => !refused.has(one) && (versions[name] ?? !stepsIn(one, changed))),
    )
    problems.push(...unmetNeeds(inUse))
    const host = world?.host ?? UNKNOWN_HOST
    const tools = [...inUse.values()].flatMap((one) => {
      const all = toolsOf(one)
      return all.filter((tool) => {
        const hiding = hidingProblem(tool, one.path)
        if (hiding) problems.push(hiding)
        if (hiding) return false
        if (isToolName(tool.name)) return true
        problems.push({
          file: one.path,
          message: `offers a tool whose name cannot be served: ${JSON.stringify(tool.name)}`,
        })
        return false
      })
    })
    made = new Map(tools.map((tool) => [tool.digest + cwd, made.get(tool.digest + cwd) ?? tool]))
    const capsules = [...inUse.values()]
      .filter(({ manifest }) => manifest.runtime.mode === 'capsule')
      .map((one) => packageCapsule(one.manifest, placeOf(one, cwd)))
    problems.push(...capsules.flatMap((capsule) => guard?.withheld(capsule) ?? []))
    const readings = await Promise.all([...inUse.values()].map((one) => readDocuments(one.folder, one.names)))
    problems.push(...readings.flatMap((reading) => reading.problems))
    return {
      packages: folders.map((one) => describe(one, chosen, host)),
      tools: [...made.values()],
      problems,
      capsules,
      documents: readings.flatMap((reading) => reading.documents),
      prompts: readings.flatMap((reading) => reading.prompts),
      awaited,
    }

    function toolsOf(one: Scoped): Tool[] {
      if (one.mcpkg === undefined) return packageTools(one.manifest, placeOf(one, cwd), offered)
      const found = toolOfMcpkg(chooseFor(one.mcpkg, host), one)
      if ('tool' in found) return [found.tool]
      problems.push(found.problem)
      return []
    }
  }
}

function placeOf({ path, scope, shebang, digest, receipt }: Scoped, cwd: string): PackagePlace {
  const editable = receipt === undefined
  return { folder: path, scope, cwd, shebang, digest, editable, ...(receipt && { receipt }) }
}

/** Whether it would serve only because someone changed the manifest of a newer version. */
function stepsIn(
  { manifest }: Scoped,
  changed: readonly { readonly name: string; readonly version: string }[],
): boolean {
  return changed.some(
    ({ name, version }) => name === manifest.name && compareVersions(version, manifest.version) > 0,
  )
}

async function refusals(
  chosen: readonly Scoped[],
  guard: ScanGuard,
  problems: Problem[],
): Promise<ReadonlySet<Scoped>> {
  const refused = new Set<Scoped>()
  for (const one of chosen) {
    const { path: folder, scope, receipt, manifest } = one
    const problem = receipt && (await guard.refusal({ folder, scope, receipt, manifest }))
    if (problem === undefined) continue
    problems.push(problem)
    refused.add(one)
  }
  return refused
}

/** One version of each name: the chosen one, else the newest; the project's before everyone's. */
function chooseAll(
  folders: readonly Scoped[],
  versions: Readonly<Record<string, string>>,
  problems: Problem[],
): Map<string, Scoped> {
  const chosen = new Map<string, Scoped>()
  for (const [name, all] of byName(folders)) {
    const wanted = versions[name]?.replace(/^v/, '')
    const exact = wanted === undefined ? [] : all.filter(({ manifest }) => manifest.version === wanted)
    if (wanted !== undefined && exact.length === 0) {
      problems.push({
        file: all[0]?.path ?? name,
        message: `version ${wanted} of ${name} is chosen, but not installed; the newest serves`,
        hint: `orla install ${name}@v${wanted}`,
      })
    }
    const candidates = exact.length > 0 ? exact : all
    const own = candidates.filter(({ scope }) => scope === 'project')
    const best = (own.length > 0 ? own : candidates).reduce((a, b) => (isBetter(b, a) ? b : a))
    chosen.set(name, best)
  }
  return chosen
}

/** Packages that need another one which does not serve, or not in a version that will do. */
function unmetNeeds(inUse: ReadonlyMap<string, Scoped>): Problem[] {
  return [...inUse.values()].flatMap(({ path, manifest }) =>
    manifest.dependencies.flatMap((word) => {
      const need = parseRequirement(word)
      if ('problem' in need || need.kind !== 'tool') return []
      const serving = inUse.get(need.name)?.manifest.version
      if (serving !== undefined && satisfies(need, serving)) return []
      const why = serving === undefined ? 'it is not installed' : `${serving} serves`
      const hint = `\`orla install ${need.name}\` installs it`
      return [{ file: path, message: `needs ${need.written}, but ${why}`, ...(serving ? {} : { hint }) }]
    }),
  )
}

function byName(folders: readonly Scoped[]): Map<string, Scoped[]> {
  const groups = new Map<string, Scoped[]>()
  for (const one of folders) {
    const group = groups.get(one.manifest.name)
    if (group) group.push(one)
    else groups.set(one.manifest.name, [one])
  }
  return groups
}

/** A stable version before any pre-release, then by precedence. */
function isBetter(a: Scoped, b: Scoped): boolean {
  const [first, second] = [a.manifest.version, b.manifest.version]
  if (isPreRelease(first) !== isPreRelease(second)) return isPreRelease(second)
  return compareVersions(first, second) > 0
}

function describe(one: Scoped, inUse: ReadonlyMap<string, Scoped>, host: McpkgHost): FoundPackage {
  const { manifest, path, scope, receipt, linked, mcpkg } = one
  const serving = inUse.get(manifest.name)
  const state = serving === one ? 'in use' : serving?.scope === scope ? 'other version' : 'shadowed'
  return {
    manifest,
    folder: path,
    scope,
    linked,
    state,
    ...(receipt === undefined ? {} : { pin: receipt.pin, digest: receipt.digest }),
    ...(mcpkg === undefined ? {} : { mcpkg: chooseFor(mcpkg, host) }),
  }
}
