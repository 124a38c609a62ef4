import type { Manifest, Tool } from '../model/index.ts'
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
}

/** What a program needs to find its way, and nothing that could be a secret. */
const HARMLESS = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'TERM',
  'TZ',
  'TMPDIR',
]

/** The tool that a package is, in simple mode. */
export function packageTool(manifest: Manifest, place: PackagePlace): Tool {
  const { mcp, runtime } = manifest
  const file = `${place.folder}/${manifest.entrypoint}`
  const { shebang } = place
  return {
    name: manifest.name,
    version: manifest.version,
    description: manifest.description,
    ...(mcp.title === undefined ? {} : { title: mcp.title }),
    ...(mcp.inputSchema === undefined ? {} : { inputSchema: mcp.inputSchema }),
    ...(mcp.outputSchema === undefined ? {} : { outputSchema: mcp.outputSchema }),
    ...(mcp.annotations === undefined ? {} : { annotations: mcp.annotations }),
    ...(mcp.icons === undefined ? {} : { icons: mcp.icons }),
    ...(mcp.meta === undefined ? {} : { meta: mcp.meta }),
    origin: { kind: 'package', file, folder: place.folder, scope: place.scope },
    run: {
      kind: 'spawn',
      command: {
        file: shebang?.interpreter ?? file,
        args: shebang ? [...shebang.args, file, ...runtime.args] : runtime.args,
        cwd: place.cwd,
        env: runtime.env,
        passEnv: [...HARMLESS, ...declaredVariables(manifest)],
        script: file,
      },
      ...(runtime.timeoutMs === undefined ? {} : { timeoutMs: runtime.timeoutMs }),
    },
    digest: place.digest,
  }
}

/** `env:NAME` and `secret:NAME` in its permissions. */
function declaredVariables(manifest: Manifest): string[] {
  return (manifest.permissions ?? []).flatMap((word) => /^(?:env|secret):(.+)$/.exec(word)?.[1] ?? [])
}
