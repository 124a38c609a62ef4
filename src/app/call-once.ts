import type { Readable } from 'node:stream'
import { createDiscovery, type Discovered } from '../catalog/index.ts'
import {
  type CallResult,
  type CallTool,
  type Capsule,
  type Catalog,
  type JsonObject,
  nearest,
  OrlaError,
  type Tool,
} from '../model/index.ts'
import { openAudit } from './audit/audit.ts'
import { openCallRecorder } from './chains/recorder.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import { type OfferedTools, openOfferedTools } from './offered-tools.ts'
import { type OneOff, openOneOff, SILENT } from './one-off.ts'
import { openChooser } from './ranking/chooser.ts'
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
  const chooser = openChooser(loaded.home, () => loaded.config.ranking)
  const runtime = openOneOff(world, loaded, {
    onCall: (measurement) => {
      statistics.heard(measurement)
      chooser.heard(measurement)
    },
    order: chooser.order,
  })
  const audit = openAudit({
    config: loaded.config.audit,
    home: loaded.home,
    log: { ...SILENT, error: onProblem },
    hide: (text) => runtime.secrets.hide(text),
    grantOf: (tool) => runtime.grantOf(tool),
  })
  const recorder = openCallRecorder({
    ...loaded,
    mode: () => loaded.config.recordCalls,
    secrets: runtime.secrets,
    log: { warn: onProblem },
  })
  const interrupt = new AbortController()
  const releases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) =>
    world.onSignal(signal, () => interrupt.abort()),
  )
  try {
    const { catalog, tool } = await findTool(loaded, runtime, written)
    const audited = (callTool: CallTool) => audit?.audited(callTool) ?? callTool
    const callTool = runtime.callTool({ observer: recorder.observer, aroundStep: audited })
    return await audited(callTool)({
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
    await recorder.close()
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
  const where = whereOf(loaded, offered, runtime.integrity)
  // A tool inside a package is called PACKAGE.TOOL, and the version is the package's.
  const chosen = version === undefined ? {} : { [name]: version, [name.split('.')[0] ?? name]: version }
  const discovery = createDiscovery()
  const chosenWhere = { ...where, versions: { ...where.versions, ...chosen } }
  const look = () => discovery.look(chosenWhere, name)
  let { catalog, capsules } = await look()
  const unknown = unasked(capsules, [name], offered)
  for (const capsule of unknown) offered.learn(capsule, await runtime.offered(capsule))
  if (unknown.length > 0) ({ catalog } = await look())
  let tool = catalog.tools.get(name)
  const withheld = catalog.problems.find((problem) => problem.tool === name)
  if (tool === undefined && withheld !== undefined) {
    const { message, hint } = withheld
    throw new OrlaError('E_REFUSED', `\`${name}\` ${message}`, hint === undefined ? {} : { hint })
  }
  // The steps of a chain are other tools, which have to be there.
  if (tool === undefined || tool.run.kind === 'chain') {
    catalog = await scanForChain(name, () => discovery.scan(chosenWhere), runtime, offered)
    tool = catalog.tools.get(name)
  }
  if (tool === undefined || (version !== undefined && tool.version !== version))
    throw notFound(written, catalog, loaded.config.toolsDir)
  return { catalog, tool }
}

/** All tools; those of a server that nobody has asked yet, too, where a chain that is not served calls one of them. */
async function scanForChain(
  name: string,
  scan: () => Promise<Discovered>,
  runtime: OneOff,
  offered: OfferedTools,
): Promise<Catalog> {
  const { catalog, packages, capsules } = await scan()
  const chains = packages.flatMap(({ mcpkg }) => mcpkg?.manifest.chain ?? [])
  const isChain = packages.some(({ manifest, mcpkg }) => manifest.name === name && mcpkg?.manifest.chain)
  if (!isChain || catalog.tools.has(name)) return catalog
  const called = chains.map(({ tool }) => tool)
  for (const capsule of unasked(capsules, called, offered)) {
    try {
      offered.learn(capsule, await runtime.offered(capsule))
    } catch (error) {
      // What it does not offer is missing, which the problem of the chain says.
      if (!(error instanceof OrlaError)) throw error
    }
  }
  return (await scan()).catalog
}

/** The MCP servers to which these names belong and of which nothing is known. */
function unasked(capsules: readonly Capsule[], names: readonly string[], offered: OfferedTools): Capsule[] {
  return capsules.filter(
    (one) =>
      one.handshake === 'mcp' &&
      names.some((name) => name.startsWith(`${one.name}.`)) &&
      offered.of(one) === undefined,
  )
}

function notFound(name: string, { tools, problems }: Catalog, toolsDir: string): OrlaError {
  const own = problems.find(({ message }) => message.startsWith(`\`${name}\` is not served`))
  if (own !== undefined)
    return new OrlaError('E_TOOL_NOT_FOUND', own.message, own.hint === undefined ? {} : { hint: own.hint })
  const close = nearest(name, [...tools.keys()])
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
