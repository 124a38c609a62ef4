import type { Readable } from 'node:stream'
import { createDiscovery } from '../catalog/index.ts'
import { type CallResult, type JsonObject, nearest, OrlaError, type Tool } from '../model/index.ts'
import { createNodeStarter } from '../platform/index.ts'
import { createCallTool } from '../runtime/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import { whereOf } from './where.ts'
import { toolEnvironment, type World } from './world.ts'

/** One call on the server's own path, without a server. Ctrl-C cancels it as a client would. */
export async function callOnce(
  world: World,
  request: ConfigRequest,
  written: string,
  argumentsFor: (tool: Tool) => JsonObject,
): Promise<CallResult> {
  const loaded = await loadConfig(world, request)
  const { config } = loaded
  // `NAME@v1.0.0` calls that version, whichever serves.
  const [, name = written, version] = /^(.+)@v?(.+)$/.exec(written) ?? []
  const where = whereOf(loaded)
  const versions = version === undefined ? where.versions : { ...where.versions, [name]: version }
  const { catalog } = await createDiscovery().scan({ ...where, versions })
  const tool = catalog.tools.get(name)
  if (tool === undefined || (version !== undefined && tool.version !== version))
    throw notFound(written, [...catalog.tools.keys()], config.toolsDir)

  const starter = createNodeStarter()
  const environment = toolEnvironment(world)
  const callTool = createCallTool({
    starter,
    settings: () => ({ timeoutMs: config.timeoutMs, concurrency: 1, outputBytes: config.limits.outputBytes }),
    environment: () => environment,
  })
  const interrupt = new AbortController()
  const releases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) =>
    world.onSignal(signal, () => interrupt.abort()),
  )
  try {
    return await callTool({
      catalog,
      name,
      arguments: argumentsFor(tool),
      signal: interrupt.signal,
      caller: { connection: 'cli', requestId: 1, transport: 'cli', era: 'none' },
    })
  } finally {
    for (const release of releases) release()
    await starter.close()
  }
}

function notFound(name: string, names: readonly string[], toolsDir: string): OrlaError {
  const close = nearest(name, names)
  return new OrlaError('E_TOOL_NOT_FOUND', `there is no tool \`${name}\` in ${toolsDir}`, {
    hint: close
      ? `did you mean \`${close}\`?`
      : '`orla list` shows the tools and what is wrong with the others',
  })
}

export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
