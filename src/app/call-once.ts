import type { Readable } from 'node:stream'
import { createDiscovery } from '../catalog/index.ts'
import { type CallResult, type JsonObject, nearest, OrlaError, type Tool } from '../model/index.ts'
import { createNodeStarter } from '../platform/index.ts'
import { createCallTool } from '../runtime/index.ts'
import { type ConfigRequest, loadConfig } from './config.ts'
import { toolEnvironment, type World } from './world.ts'

/** One call on the server's own path, without a server. Ctrl-C cancels it as a client would. */
export async function callOnce(
  world: World,
  request: ConfigRequest,
  name: string,
  argumentsFor: (tool: Tool) => JsonObject,
): Promise<CallResult> {
  const { config, root } = await loadConfig(world, request)
  const { catalog } = await createDiscovery().scan({ toolsDir: config.toolsDir, cwd: root })
  const tool = catalog.tools.get(name)
  if (tool === undefined) throw notFound(name, [...catalog.tools.keys()], config.toolsDir)

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
