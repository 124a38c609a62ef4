import type { CalledTool } from '../formats/index.ts'
import { type Manifest, type McpkgManifest, OrlaError } from '../model/index.ts'
import type { Candidate, Step } from './candidate.ts'
import { findEntry } from './find-entry.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import type { FindTool, Tools } from './plan.ts'
import type { Ports } from './ports.ts'

/** The names of the tools that a chain calls, each once. */
export function toolsCalledBy(mcpkg: McpkgManifest | undefined): readonly string[] {
  return [...new Set(mcpkg?.chain?.map(({ tool }) => tool))]
}

/** Whether a package brings a tool: its own, or one of the MCP server in it. */
export function isToolOf({ name, runtime }: Manifest, tool: string): boolean {
  return tool === name || (runtime.handshake === 'mcp' && tool.startsWith(`${name}.`))
}

/**
 * What chains call and what neither is served here nor about to be installed, as far as a registry knows it. The rest
 * may be a loose tool that comes later: it is a problem of the chain, not of its install. `asked` are the names that
 * need not be looked up again.
 */
export async function calledSteps(
  found: readonly Candidate[],
  asked: Set<string>,
  { frozen, offline }: InstallOptions,
  deps: InstallDeps,
): Promise<Step[]> {
  const chains = found.filter(({ calls }) => calls.length > 0)
  if (frozen || chains.length === 0) return []
  const served = await deps.ports.servedTools()
  const steps = new Map<string, Step>()
  try {
    for (const { tool, chain } of chains.flatMap((one) =>
      one.calls.map((name) => ({ tool: name, chain: one })),
    )) {
      if (asked.has(tool) || served.has(tool) || found.some(({ manifest }) => isToolOf(manifest, tool)))
        continue
      asked.add(tool)
      const known = await lookUp(tool, registryOf(chain), { ...deps, offline })
      if (known !== undefined) steps.set(known.name, stepFor(known, chain.manifest.name))
    }
  } catch (error) {
    if (!(error instanceof OrlaError) || error.code === 'E_INTERRUPTED') throw error
    // Nobody can be asked: the chain can be installed all the same.
    deps.ports.warn(
      `what ${chains.map(({ manifest }) => manifest.name).join(', ')} calls was not looked up: ${error.message}`,
    )
    for (const tool of chains.flatMap(({ calls }) => calls)) asked.add(tool)
  }
  return [...steps.values()]
}

interface Known {
  readonly name: string
  readonly registry: string
}

function stepFor({ name, registry }: Known, calledBy: string): Step {
  return { wanted: { spec: { kind: 'name', name } }, needs: [], calledBy, registry }
}

function registryOf({ pin }: Candidate): string | undefined {
  return pin.kind === 'directory' ? undefined : pin.registry
}

/** The package of a tool: of its name, or, for `NAME.TOOL`, the one whose server offers it. */
async function lookUp(
  tool: string,
  preferred: string | undefined,
  deps: InstallDeps & { readonly offline: boolean },
): Promise<Known | undefined> {
  for (const name of new Set([tool, tool.split('.', 1)[0] ?? tool])) {
    try {
      const spec = { kind: 'name', name } as const
      const { registry } = await findEntry(spec, { ...deps, warn: deps.ports.warn }, preferred)
      return { name, registry: registry.url }
    } catch (error) {
      if (!(error instanceof OrlaError) || error.code !== 'E_NOT_FOUND') throw error
    }
  }
  return undefined
}

/** What tools may do and call once the candidates are in place, and what they may now. */
export async function toolsAround(candidates: readonly Candidate[], ports: Ports): Promise<Tools> {
  const isChain = candidates.some(({ calls }) => calls.length > 0)
  const served: ReadonlyMap<string, CalledTool> = isChain ? await ports.servedTools() : new Map()
  const before: FindTool = (name) => served.get(name)
  return {
    before,
    after(name) {
      const coming = candidates.find(({ manifest }) => isToolOf(manifest, name))
      if (coming === undefined) return before(name)
      return { permissions: coming.manifest.permissions ?? [], calls: coming.calls }
    },
  }
}
