import type { Manifest, McpkgManifest } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { mcpkgPermissions } from './permissions.ts'

/** An .mcpkg as installs, receipts, locks and lists see every package. How it runs stays with its own manifest. */
export function mcpkgAsManifest(manifest: McpkgManifest): Manifest {
  const { meta } = manifest
  const [first] = manifest.implementations
  return compact<Manifest>({
    name: manifest.toolId,
    version: manifest.version,
    description: manifest.description,
    entrypoint: 'manifest.json',
    author: meta.publisher?.name ?? meta.publisher?.id,
    license: meta.license,
    homepage: meta.homepage,
    language: first?.language,
    keywords: meta.tags,
    capabilities: manifest.capabilities,
    dependencies: [],
    permissions: mcpkgPermissions(manifest),
    mcp: { title: manifest.name, inputSchema: manifest.inputSchema, outputSchema: manifest.outputSchema },
    runtime: { mode: 'simple', env: {}, args: [] },
    limits: {},
    hooks: {},
  })
}
