import type { McpkgManifest } from '../../model/index.ts'

/** Where a package runs, for those who look for one in a registry; none when it does not say. */
export function platformsOf(mcpkg: McpkgManifest | undefined): readonly string[] {
  return [...new Set(mcpkg?.implementations.flatMap((one) => one.platforms))]
}
