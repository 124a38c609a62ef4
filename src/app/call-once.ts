import type { Readable } from 'node:stream'
import { createDiscovery } from '../catalog/index.ts'
import {
  type CallResult,
  type Catalog,
  type JsonObject,
  nearest,
  OrlaError,
  type Tool,
} from '../model/index.ts'
import { openAudit } from './audit/audit.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { openOfferedTools } from './offered-tools.ts'
import { type OneOff, openOneOff, SILENT } from './one-off.ts'
import { keepStatistics } from './statistics/keep.ts'
import { whereOf } from './where.ts'
import type { World } from './world.ts'

/** One call on the server's own path, without a server. Ctrl-C cancels it as a client would. */
export async function callOnce(
  world: World,
  request: ConfigRequest,
  written: string,
  argumentsFor: (tool: Tool) => JsonObject,
  onProblem: (message: string) => void = () => {},
): Promise<CallResult> {
  const loaded = await loadConfig(world, request)
  const statistics = keepStatistics({
    home: loaded.home,
    isOn: () => loaded.config.statistics === 'on',
    onProblem,
  })
  const runtime = openOneOff(world, loaded, {
    onCall: (measurement) => statistics.heard(measurement),
  })
  const audit = openAudit({
    config: loaded.config.audit,
    home: loaded.home,
    log: { ...SILENT, error: onProblem },
    hide: (text) => runtime.hide(text),
    grantOf: (tool) => runtime.grantOf(tool),
  })
  const interrupt = new AbortController()
  const releases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) =>
    world.onSignal(signal, () => interrupt.abort()),
  )
  try {
    const { catalog, tool } = await findTool(loaded, runtime, written)
    const callTool = audit?.audited(runtime.callTool()) ?? runtime.callTool()
    return await callTool({
      catalog,
      name: tool.name,
      arguments: argumentsFor(tool),
      signal: interrupt.signal,
      caller: { connection: 'cli', requestId: 1, transport: 'cli', era: 'none' },
    })
  } finally {
    for (const release of releases) release()
    audit?.close()
    await runtime.close()
    await statistics.close()
  }
}

/** `NAME@v1.0.0` is that version, whichever serves. */
async function findTool(
  loaded: LoadedConfig,
  runtime: OneOff,
  written: string,
): Promise<{ catalog: Catalog; tool: Tool }> {
  const [, name = written, version] = /^(.+)@v?(.+)$/.exec(written) ?? []
  const offered = openOfferedTools(loaded.home)
  const where = whereOf(loaded, offered)
  // A tool inside a package is called PACKAGE.TOOL, and the version is the package's.
  const chosen = version === undefined ? {} : { [name]: version, [name.split('.')[0] ?? name]: version }
  const discovery = createDiscovery()
  const chosenWhere = { ...where, versions: { ...where.versions, ...chosen } }
  const look = () => discovery.look(chosenWhere, name)
  let { catalog, capsules } = await look()
  const unknown = capsules.filter(
    (one) => one.handshake === 'mcp' && name.startsWith(`${one.name}.`) && offered.of(one) === undefined,
  )
  for (const capsule of unknown) offered.learn(capsule, await runtime.offered(capsule))
  if (unknown.length > 0) ({ catalog } = await look())
  const tool = catalog.tools.get(name)
  if (tool === undefined || (version !== undefined && tool.version !== version)) {
    const { catalog: all } = await discovery.scan(chosenWhere)
    throw notFound(written, [...all.tools.keys()], loaded.config.toolsDir)
  }
  // The steps of a chain are other tools.
  if (tool.run.kind === 'chain') ({ catalog } = await discovery.scan(chosenWhere))
  return { catalog, tool }
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
