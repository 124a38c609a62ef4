import { calledPermissions, type PackageFace } from '../../formats/index.ts'
import { type ChainStep, type Manifest, type McpkgManifest, OrlaError } from '../../model/index.ts'
import { checkPackage } from '../../packages/index.ts'
import type { LoadedConfig } from '../config.ts'
import { servedTools } from '../packages/served-tools.ts'

/** A package as its files show it, and a chain also by the tools that it finds here. */
export async function faceOf(folder: string, from: string, loaded: LoadedConfig): Promise<PackageFace> {
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
    permissions: mcpkg?.chain ? await throughChain(mcpkg.chain, loaded) : manifest.permissions,
    hooks: hooks.postInstall === undefined ? [] : [hooks.postInstall],
    implementations: mcpkg === undefined ? [entrypointOf(manifest)] : waysOf(mcpkg),
    tools: manifest.runtime.handshake === 'mcp' ? [] : [declared],
  }
}

/** What a chain may do is what its tools may do. */
async function throughChain(
  chain: NonNullable<McpkgManifest['chain']>,
  loaded: LoadedConfig,
): Promise<string[]> {
  const served = await servedTools(loaded)
  const called = calledPermissions(
    chain.map(({ tool }) => tool),
    (name) => served.get(name),
  )
  return called.map(({ word }) => word)
}

function entrypointOf({ entrypoint, runtime }: Manifest) {
  const id = runtime.mode === 'capsule' ? 'capsule' : 'program'
  return { id, what: [entrypoint, ...runtime.args].join(' ') }
}

function waysOf({ endpoint, implementations, chain }: McpkgManifest): PackageFace['implementations'] {
  if (chain !== undefined) {
    const order = { id: 'chain', what: chain.map(({ step, tool }) => `${step}: ${tool}`).join(', ') }
    return [order, ...chain.map((step) => ({ id: `step ${step.step}`, what: givenTo(step) }))]
  }
  const own = endpoint === undefined ? [] : [{ id: 'endpoint', what: placeOf(endpoint) }]
  const others = implementations.map(({ id, runtime, platforms, endpoint: place }) => ({
    id,
    what: [placeOf(place), runtime, platforms.join(', ')].filter((word) => word).join(', '),
  }))
  return [...own, ...others]
}

/** What a step is given and how it runs. */
function givenTo(step: ChainStep): string {
  const { input, when, forEach, concurrency, retry, timeoutMs, optional, parallel, cache } = step
  const given = Object.entries(input).map(
    ([key, source]) => `${key} ${source.kind === 'path' ? source.path : JSON.stringify(source.value)}`,
  )
  const how = [
    when && `when ${when}`,
    forEach && `for each ${forEach}, ${concurrency} at once`,
    retry > 0 && `retry ${retry}`,
    timeoutMs !== undefined && `at most ${timeoutMs} ms`,
    optional && 'optional',
    parallel && 'parallel',
    cache && `cache for ${cache.ttlMs} ms`,
  ]
  return [...given, ...how].filter((word) => word).join(', ')
}

function placeOf(endpoint: NonNullable<McpkgManifest['endpoint']>): string {
  return endpoint.type === 'local' ? endpoint.command : `${endpoint.method} ${endpoint.url}`
}
