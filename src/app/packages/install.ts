import { resolve } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { type InstallReport, install, link, parseSpec, readLock, type Wanted } from '../../packages/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'
import { learnOffered } from './learn-offered.ts'

export interface InstallRequest extends NetworkOptions {
  /** NAME[@TAG], registry/NAME, URLs; none restores orla.lock. */
  readonly specs: readonly string[]
  readonly local?: string
  readonly link: boolean
  readonly frozen: boolean
  readonly dryRun: boolean
  readonly force: boolean
  readonly test: boolean
}

export async function installPackages(
  world: World,
  config: ConfigRequest,
  request: InstallRequest,
  conversation: Conversation,
): Promise<InstallReport & { readonly offered: ReadonlyMap<string, readonly string[]> }> {
  const context = await openPackages(world, config, request, conversation)
  const report = await carryOut(world, context, request, conversation)
  const names = report.installed.filter(({ status }) => status !== 'unchanged').map(({ name }) => name)
  return { ...report, offered: await learnOffered(world, context.loaded, names, conversation.warn) }
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
  const { frozen, offline, dryRun, force, test } = request
  const wanted = wantedOf(request, world, places.lockFile)
  return interruptible(world, (signal) =>
    install(wanted, { frozen, offline, dryRun, force, test }, context.installDeps(signal)),
  )
}

function wantedOf(request: InstallRequest, world: World, lockFile: string): Wanted[] {
  const wanted: Wanted[] = request.specs.map((word) => ({ spec: parseSpec(word) }))
  if (request.local !== undefined) {
    wanted.push({ spec: { kind: 'local', path: resolve(world.cwd, request.local) } })
  }
  if (wanted.length > 0) return wanted
  const { packages } = readLock(lockFile)
  if (packages.length === 0) {
    throw new OrlaError('E_USAGE', `nothing was asked for, and ${lockFile} lists nothing`, {
      hint: '`orla install NAME` installs a package, `orla search WORDS` finds one',
    })
  }
  return packages.map((locked) => ({ locked }))
}

/** Ctrl-C ends what waits, what is fetched and what runs. The work itself tells what it had done by then. */
export async function interruptible<T>(world: World, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupt = new AbortController()
  const releases = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) =>
    world.onSignal(name, () => interrupt.abort()),
  )
  try {
    return await work(interrupt.signal)
  } finally {
    for (const release of releases) release()
  }
}
