import { join } from 'node:path'
import { type Choice, chooseImplementations, type McpkgHost, mcpkgTool } from '../formats/index.ts'
import type { Manifest, McpkgManifest, PackageFacts, Problem, Tool } from '../model/index.ts'

/** An .mcpkg, and what of it can run here. */
export interface FoundMcpkg {
  readonly manifest: McpkgManifest
  readonly choice: Choice
}

/** A machine of which nothing is known but that it can send requests. */
export const UNKNOWN_HOST: McpkgHost = {
  platform: process.platform,
  arch: process.arch,
  programVersion: () => undefined,
  packageVersion: () => undefined,
}

interface Place {
  readonly path: string
  readonly scope: 'project' | 'global'
  readonly digest: string
  readonly receipt?: PackageFacts['receipt']
}

/** The tool a package is on this machine; when nothing of it fits, a problem says why. */
export function toolOfMcpkg(
  { manifest, choice }: FoundMcpkg,
  { path, ...place }: Place,
): { readonly tool: Tool } | { readonly problem: Problem } {
  const { fitting, unfit } = choice
  if (manifest.chain !== undefined || fitting.length > 0) {
    return { tool: mcpkgTool(manifest, { ...place, folder: path }, fitting) }
  }
  const why = unfit.map(({ implementation, reasons }) => `\`${implementation.id}\`: ${reasons.join(', ')}`)
  return {
    problem: {
      file: join(path, 'manifest.json'),
      message: `\`${manifest.toolId}\` is not served, because nothing in it can run here. ${why.join('; ')}`,
      hint: `\`orla info ${manifest.toolId}\` shows what each one needs`,
    },
  }
}

/** How a package is carried out: by a program for each call, one that stays, a request, or other tools. */
export type PackageMode = 'simple' | 'capsule' | 'http' | 'local' | 'chain'

/** Of an .mcpkg, that of what is tried first; where nothing fits, of what stands first. */
export function packageMode({ manifest, mcpkg }: { manifest: Manifest; mcpkg?: FoundMcpkg }): PackageMode {
  if (mcpkg === undefined) return manifest.runtime.mode
  if (mcpkg.manifest.chain !== undefined) return 'chain'
  const [first] = [...mcpkg.choice.fitting, ...mcpkg.choice.unfit]
  return first?.implementation.endpoint.type ?? 'local'
}

export function chooseFor(manifest: McpkgManifest, host: McpkgHost): FoundMcpkg {
  return { manifest, choice: chooseImplementations(manifest, host) }
}
