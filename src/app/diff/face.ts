import type { PackageFace } from '../../formats/index.ts'
import { type Manifest, type McpkgManifest, OrlaError, type Tool } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'

/** A package as its files show it. `tools`: those that its MCP server offers, where someone has asked it. */
export async function faceOf(
  folder: string,
  from: string,
  tools: readonly Tool[] = [],
): Promise<PackageFace> {
  const { manifest, mcpkg, problems } = await checkPackage(folder)
  if (manifest === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message)
    throw new OrlaError('E_PACKAGE', `${from} is not a package that can be compared:\n${errors.join('\n')}`, {
      hint: '`orla validate` tells where',
    })
  }
  const { name, version, description, mcp, hooks } = manifest
  const { inputSchema, outputSchema } = mcp
  const declared = {
    name,
    description,
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  }
  return {
    name,
    version,
    from,
    description,
    permissions: manifest.permissions,
    hooks: hooks.postInstall === undefined ? [] : [hooks.postInstall],
    implementations: mcpkg === undefined ? [entrypointOf(manifest)] : waysOf(mcpkg),
    tools: tools.length > 0 ? tools : manifest.runtime.handshake === 'mcp' ? [] : [declared],
  }
}

function entrypointOf({ entrypoint, runtime }: Manifest) {
  const id = runtime.mode === 'capsule' ? 'capsule' : 'program'
  return { id, what: [entrypoint, ...runtime.args].join(' ') }
}

function waysOf({ endpoint, implementations, chain }: McpkgManifest): PackageFace['implementations'] {
  if (chain !== undefined) {
    return [{ id: 'chain', what: chain.map(({ step, tool }) => `${step}: ${tool}`).join(', ') }]
  }
  const own = endpoint === undefined ? [] : [{ id: 'endpoint', what: placeOf(endpoint) }]
  const others = implementations.map(({ id, runtime, platforms, endpoint: place }) => ({
    id,
    what: [placeOf(place), runtime, platforms.join(', ')].filter((word) => word).join(', '),
  }))
  return [...own, ...others]
}

function placeOf(endpoint: NonNullable<McpkgManifest['endpoint']>): string {
  return endpoint.type === 'local' ? endpoint.command : `${endpoint.method} ${endpoint.url}`
}
