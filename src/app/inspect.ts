import { relative } from 'node:path'
import { createDiscovery, type FoundPackage, type PackageMode, packageMode } from '../catalog/index.ts'
import { compareVersions } from '../formats/index.ts'
import type { Capsule, Problem, Tool } from '../model/index.ts'
import { sourceOf } from '../packages/index.ts'
import { realPath } from '../platform/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import { openIntegrity } from './integrity/integrity.ts'
import { openOfferedTools } from './offered-tools.ts'
import { whereOf } from './where.ts'
import type { World } from './world.ts'

export interface ToolListing {
  /** What clients see, by name. */
  readonly tools: readonly Tool[]
  readonly listed: (tool: Tool) => ListedTool
  /** The installed versions that are in one of these states, by name. */
  readonly packages: (...states: readonly ListedPackage['state'][]) => readonly ListedPackage[]
  readonly problems: readonly Problem[]
  readonly toolsDir: string
  readonly missing: boolean
}

export interface ListedTool {
  readonly name: string
  readonly version: string
  readonly mode: 'loose' | PackageMode
  /** Where it was installed from; its own file for a loose tool. */
  readonly from: string
  readonly file: string
  readonly description: string
}

export interface ListedPackage {
  readonly name: string
  readonly version: string
  readonly mode: PackageMode
  readonly state: 'in use' | 'other version' | 'shadowed'
  readonly scope: 'project' | 'global'
  readonly linked: boolean
  readonly from: string
  readonly folder: string
  readonly description: string
}

/** To look at the files of packages that nobody has looked at yet. */
const PATIENCE_MS = 500

/** What a server of this configuration would serve. */
export async function listTools(world: World, request: ConfigRequest): Promise<ToolListing> {
  const loaded = await loadConfig(world, request)
  const offered = openOfferedTools(loaded.home)
  const discovery = createDiscovery()
  const patience = { scanMs: PATIENCE_MS, onSkipped: () => world.doubt?.() }
  const where = whereOf(loaded, offered, openIntegrity(loaded.home, { patience }))
  const { catalog, missing, packages, capsules } = await discovery.scan(where)
  discovery.flush()
  const unasked = capsules.filter((one) => one.handshake === 'mcp' && offered.of(one) === undefined)
  const here = `${world.cwd}/`
  const near = (path: string) =>
    path.startsWith(here) ? path.slice(here.length) : relative(world.cwd, path) || path
  const inState = (...states: readonly ListedPackage['state'][]) => {
    const found = packages.filter(({ state }) => states.includes(state))
    return found.map((one) => listPackage(one, near)).sort(byName)
  }
  const byFolder = new Map(packages.map((one) => [one.folder, one]))
  const tools = [...catalog.tools.values()].sort(byName)
  const ofTool = (tool: Tool) => {
    const found = tool.origin.kind === 'package' ? byFolder.get(tool.origin.folder) : undefined
    return listTool(tool, found, near)
  }
  const problems = [...catalog.problems, ...unasked.map(notAsked)]
  return { tools, listed: ofTool, packages: inState, problems, toolsDir: loaded.config.toolsDir, missing }
}

function notAsked({ name, command }: Capsule): Problem {
  return {
    file: command.script,
    message: `\`${name}\` is an MCP server that has not been asked for its tools yet`,
    hint: `a server asks it when it starts, \`orla call ${name}.TOOL\` too`,
  }
}

function listTool(tool: Tool, found: FoundPackage | undefined, near: (path: string) => string): ListedTool {
  const file = near(tool.origin.file)
  return {
    name: tool.name,
    version: tool.version,
    mode: found === undefined ? 'loose' : packageMode(found),
    from: found === undefined ? file : fromOf(found, near),
    file,
    description: tool.description,
  }
}

function listPackage(found: FoundPackage, near: (path: string) => string): ListedPackage {
  const { manifest, state, scope, linked, folder } = found
  return {
    name: manifest.name,
    version: manifest.version,
    mode: packageMode(found),
    state,
    scope,
    linked,
    from: fromOf(found, near),
    folder,
    description: manifest.description,
  }
}

function fromOf({ pin, folder, linked }: FoundPackage, near: (path: string) => string): string {
  if (linked) return `${near(realPath(folder))} (linked)`
  return pin === undefined ? near(folder) : sourceOf(pin)
}

function byName(a: { name: string; version: string }, b: { name: string; version: string }): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return compareVersions(b.version, a.version)
}
