import type {
  Capsule,
  Command,
  Manifest,
  OfferedTool,
  Origin,
  PackageFacts,
  Run,
  Tool,
} from '../model/index.ts'
import { compact } from './compact.ts'
import { declaredVariables } from './declared-variables.ts'
import type { Shebang } from './shebang.ts'

export interface PackagePlace {
  readonly folder: string
  readonly scope: 'project' | 'global'
  /** Where its calls run: the project. */
  readonly cwd: string
  /** Of the entrypoint; null for a binary. */
  readonly shebang: Shebang | null
  /** Changes whenever the package does. */
  readonly digest: string
  /** Placed or linked by hand: its owner works on it. An installed copy is not to be changed. */
  readonly editable: boolean
  /** Of an installed copy. */
  readonly receipt?: PackageFacts['receipt']
}

/** The tools that a package is: one, or as many as the MCP server inside it offers. */
export function packageTools(
  manifest: Manifest,
  place: PackagePlace,
  offered: (capsule: Capsule) => readonly OfferedTool[] | undefined = () => undefined,
): Tool[] {
  const tool = packageTool(manifest, place)
  const { run } = tool
  if (run.kind !== 'capsule' || run.capsule.handshake === 'orla') return [tool]
  return (offered(run.capsule) ?? []).map((one) => offeredTool(tool, run.capsule, one))
}

/** A package as one tool. */
function packageTool(manifest: Manifest, place: PackagePlace): Tool {
  const { mcp, runtime } = manifest
  return compact<Tool>({
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    title: mcp.title,
    inputSchema: mcp.inputSchema,
    outputSchema: mcp.outputSchema,
    annotations: mcp.annotations,
    icons: mcp.icons,
    meta: mcp.meta,
    origin: originOf(manifest, place),
    run: compact<Run>(
      runtime.mode === 'simple'
        ? { kind: 'spawn', command: commandOf(manifest, place, place.cwd), timeoutMs: runtime.timeoutMs }
        : {
            kind: 'capsule',
            capsule: packageCapsule(manifest, place),
            toolName: manifest.name,
            timeoutMs: runtime.timeoutMs,
          },
    ),
    digest: place.digest,
  })
}

function originOf(manifest: Manifest, place: PackagePlace): Origin {
  return {
    kind: 'package',
    file: entrypointOf(manifest, place),
    folder: place.folder,
    scope: place.scope,
    package: packageFacts(manifest, place.receipt),
  }
}

export function packageFacts(
  { name, permissions, limits }: Pick<Manifest, 'name' | 'permissions' | 'limits'>,
  receipt: PackageFacts['receipt'],
): PackageFacts {
  return { name, permissions, limits, ...(receipt !== undefined && { receipt }) }
}

/** What the server inside says about a tool stands; the package gives its name, its version and its process. */
function offeredTool(tool: Tool, capsule: Capsule, offered: OfferedTool): Tool {
  // Flags and standard input mean nothing to it: without a schema it takes any object.
  const { title, inputSchema = { type: 'object' }, outputSchema, annotations, icons, meta } = offered
  const { timeoutMs } = tool.run
  return compact<Tool>({
    name: `${tool.name}.${offered.name}`,
    version: tool.version,
    description: offered.description ?? tool.description,
    title,
    inputSchema,
    outputSchema,
    annotations,
    icons,
    meta,
    origin: tool.origin,
    run: compact<Run>({ kind: 'capsule', capsule, toolName: offered.name, timeoutMs }),
    digest: `${tool.digest}:${JSON.stringify(offered)}`,
  })
}

const DEFAULT_STARTUP_MS = 5_000
const DEFAULT_HEALTH = { intervalMs: 30_000, timeoutMs: 5_000 }

/** The process behind a package in capsule mode. */
export function packageCapsule(manifest: Manifest, place: PackagePlace): Capsule {
  const { runtime, name, version } = manifest
  const { hotLoad } = runtime
  return compact<Capsule>({
    name,
    version,
    identity: place.digest,
    origin: originOf(manifest, place),
    // A capsule runs in its own folder.
    command: commandOf(manifest, place, place.folder),
    handshake: runtime.handshake ?? 'orla',
    startupTimeoutMs: runtime.startupTimeoutMs ?? DEFAULT_STARTUP_MS,
    start: runtime.start ?? 'lazy',
    hotLoad:
      hotLoad && place.editable
        ? { paths: hotLoad.watch.map((path) => inside(place, path)), debounceMs: hotLoad.debounceMs }
        : undefined,
    health: runtime.health && { ...DEFAULT_HEALTH, ...runtime.health },
    idleTimeoutMs: runtime.idleTimeoutMs,
    maxConcurrency: runtime.maxConcurrency,
    pinned: place.editable ? undefined : true,
    restart: runtime.restart ?? {},
  })
}

function commandOf(manifest: Manifest, place: PackagePlace, cwd: string): Command {
  const file = entrypointOf(manifest, place)
  const { shebang } = place
  const { args, env } = manifest.runtime
  return {
    file: shebang?.interpreter ?? file,
    args: shebang ? [...shebang.args, file, ...args] : args,
    cwd,
    env: place.editable ? env : { ...env, ...WRITES_NOTHING },
    ...declaredVariables(manifest.permissions),
    script: file,
  }
}

/** An installed package stays what it is: Python would put its bytecode beside its files, and take what others put there. */
export const WRITES_NOTHING: Readonly<Record<string, string>> = { PYTHONDONTWRITEBYTECODE: '1' }

function entrypointOf(manifest: Manifest, place: PackagePlace): string {
  return inside(place, manifest.entrypoint)
}

function inside({ folder }: PackagePlace, path: string): string {
  return path === '.' ? folder : `${folder}/${path}`
}
