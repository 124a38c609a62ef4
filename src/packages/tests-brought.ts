import type { McpkgManifest } from '../model/index.ts'

/**
 * Whether a package has tests that run before it is installed. Those of a tool that is only reached over the network do
 * not: an install sends no requests in the name of whoever installs.
 */
export function bringsTests(mcpkg: McpkgManifest | undefined, paths: readonly string[]): boolean {
  if (mcpkg === undefined) return paths.some((path) => /^tests\/[^/]+\.test\.json$/.test(path))
  const { tests, chain, endpoint, implementations } = mcpkg
  const runsHere = chain !== undefined || endpoint?.type === 'local' || implementations.length > 0
  return runsHere && tests.length > 0
}
