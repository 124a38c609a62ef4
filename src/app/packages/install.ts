import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'
import { createDiscovery } from '../../catalog/index.ts'
import { isToolId } from '../../formats/index.ts'
import { OrlaError, type Problem } from '../../model/index.ts'
import {
  type InstallReport,
  install,
  installedVersions,
  link,
  type Places,
  parseSpec,
  readLocks,
  rootOf,
  type Wanted,
} from '../../packages/index.ts'
import { readTextIfThere } from '../../platform/index.ts'
import type { ConfigRequest } from '../config.ts'
import { openIntegrity } from '../integrity/integrity.ts'
import { openOfferedTools } from '../offered-tools.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'
import { learnOffered, type Offer } from './learn-offered.ts'
import { tellWhatServes } from './serving.ts'

export interface InstallRequest extends NetworkOptions {
  /** NAME[@TAG], registry/NAME, URLs; none restores orla.lock. */
  readonly specs: readonly string[]
  readonly local?: string
  readonly link: boolean
  readonly frozen: boolean
  readonly dryRun: boolean
  readonly force: boolean
  readonly test: boolean
  readonly allowDowngrade: boolean
}

export interface InstallOutcome extends InstallReport {
  /** What the MCP servers among them offer. */
  readonly offered: ReadonlyMap<string, readonly Offer[]>
  /** What was installed and cannot be called here, or not under its name alone: another version serves. */
  readonly unserved: readonly string[]
}

export async function installPackages(
  world: World,
  config: ConfigRequest,
  request: InstallRequest,
  conversation: Conversation,
): Promise<InstallOutcome> {
  checkScope(config, request)
  const context = await openPackages(world, config, request, conversation)
  const report = await carryOut(world, context, request, conversation)
  const news = report.installed.filter(({ status }) => status !== 'unchanged')
  const { loaded, places } = context
  // Whoever restores a lock with several versions of a package knows that one of them serves.
  const isAsked = request.specs.length > 0 || request.local !== undefined
  const behind = isAsked ? tellWhatServes(context, report.installed) : []
  // To look at all tools takes longer than the rest of a small install.
  if (!news.some(({ name }) => isLookedFor(name, places)))
    return { ...report, unserved: behind, offered: new Map() }
  const known = openOfferedTools(loaded.home)
  const integrity = openIntegrity(loaded.home, { justInstalled: new Set(news.map(({ folder }) => folder)) })
  const { catalog, capsules } = await createDiscovery().scan(whereOf(loaded, known, integrity))
  const unserved = news.some(({ name }) => isToolId(name))
    ? tellProblems(catalog.problems, report, conversation)
    : []
  const servers = capsules.filter(
    ({ handshake, name }) => handshake === 'mcp' && news.some((one) => one.name === name),
  )
  return {
    ...report,
    unserved: [...unserved, ...behind],
    offered: await learnOffered(world, loaded, servers, known, conversation.warn),
  }
}

/** An .mcpkg may have a problem with other tools, an MCP server is asked what it offers; yes where no receipt tells. */
function isLookedFor(name: string, places: Places): boolean {
  if (isToolId(name)) return true
  return installedVersions(rootOf(places, name), name).some(
    ({ receipt }) => receipt === undefined || receipt.manifest.runtime.handshake === 'mcp',
  )
}

/** Its place is a folder, not a person: nothing finds an .mcpkg that would be everyone's. */
function checkScope({ global = false }: ConfigRequest, { specs, local = '' }: InstallRequest): void {
  const isMcpkg = (word: string) => /\.mcpkg$/i.test(word) || isToolId(word.split('@', 1)[0] ?? '')
  if (!global || ![...specs, local].some(isMcpkg)) return
  throw new OrlaError('E_USAGE', 'an .mcpkg belongs to a project or a folder, not to every project', {
    hint: 'leave out --global',
  })
}

/** What was installed and does not serve: nothing of it can run here, or a tool that its chain calls is missing. */
function tellProblems(
  problems: readonly Problem[],
  { installed }: InstallReport,
  { warn }: Conversation,
): string[] {
  const unserved: string[] = []
  for (const { file, message } of problems) {
    const own = installed.find(({ folder }) => file.startsWith(`${folder}/`))
    if (own === undefined) continue
    warn(message)
    unserved.push(own.name)
  }
  return unserved
}

async function carryOut(
  world: World,
  context: PackageContext,
  request: InstallRequest,
  conversation: Conversation,
): Promise<InstallReport> {
  const { places } = context
  if (request.link) {
    if (request.local === undefined) throw new OrlaError('E_USAGE', '--link needs --local FOLDER')
    if (request.specs.length > 0) {
      throw new OrlaError('E_USAGE', `--link is about one folder; ${request.specs.join(', ')} is not it`, {
        hint: 'install the others with a command of their own',
      })
    }
    const { dryRun } = request
    return link(resolve(world.cwd, request.local), places, { dryRun, warn: conversation.warn })
  }
  const { frozen, offline, dryRun, force, test, allowDowngrade } = request
  const wanted = wantedOf(request, world, places)
  return interruptible(world, (signal) =>
    install(wanted, { frozen, offline, dryRun, force, test, allowDowngrade }, context.installDeps(signal)),
  )
}

function wantedOf(request: InstallRequest, world: World, places: Places): Wanted[] {
  const wanted: Wanted[] = request.specs.map((word) => {
    const spec = parseSpec(word)
    return { spec: spec.kind === 'local' ? { ...spec, path: resolve(world.cwd, spec.path) } : spec }
  })
  if (request.local !== undefined) {
    wanted.push({ spec: { kind: 'local', path: resolve(world.cwd, request.local) } })
  }
  if (wanted.length > 0) return wanted
  const { packages } = readLocks(places)
  if (packages.length === 0) {
    const { lockFile } = places
    const lacks =
      readTextIfThere(lockFile) !== undefined ? `${lockFile} lists nothing` : `there is no ${lockFile}`
    throw new OrlaError('E_USAGE', `nothing was asked for, and ${lacks}`, {
      hint: '`orla install NAME` installs a package, `orla search WORDS` finds one',
    })
  }
  return packages.map((locked) => ({ locked }))
}

/** Ctrl-C ends what waits, what is fetched and what runs. The work itself tells what it had done by then. */
export async function interruptible<T>(world: World, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  // A dozen packages listen to it at once; Node would warn of it.
  setMaxListeners(0, interrupt.signal)
  const releases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) =>
    world.onSignal(name, () => interrupt.abort()),
  )
  try {
    return await work(interrupt.signal)
  } finally {
    for (const release of releases) release()
  }
}
