import { join } from 'node:path'
import { checkPackageName, compareVersions, setVersion } from '../../formats/index.ts'
import { type LockEntry, OrlaError } from '../../model/index.ts'
import {
  findOutdated,
  type InstalledVersion,
  type InstallReport,
  install,
  installedVersions,
  type Outdated,
  parseSpec,
  readLock,
  uninstall,
} from '../../packages/index.ts'
import { makeFolder, readTextIfThere, writeFileAtomic } from '../../platform/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'
import { interruptible } from './install.ts'

const HERE: NetworkOptions = { offline: true, refresh: false }

/** `NAME[@vVERSION]` of something installed. */
function parseInstalled(word: string): { name: string; version?: string } {
  const spec = parseSpec(word)
  if (spec.kind !== 'name' || spec.registry !== undefined) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} is not the name of an installed package`)
  }
  return spec.tag === undefined ? { name: spec.name } : { name: spec.name, version: spec.tag.slice(1) }
}

export async function uninstallPackages(
  world: World,
  config: ConfigRequest,
  words: readonly string[],
  conversation: Conversation,
): Promise<InstalledVersion[]> {
  const context = await openPackages(world, config, HERE, conversation)
  const asked = words.map(parseInstalled)
  const removed: InstalledVersion[] = []
  for (const { name, version } of asked) {
    removed.push(...(await uninstall(name, version, context.places)))
    const chosen = context.loaded.config.versions[name]?.replace(/^v/, '')
    if (chosen !== undefined && (version === undefined || chosen === version))
      await choose(context, name, undefined)
  }
  return removed
}

export interface UpdateRequest extends NetworkOptions {
  readonly names: readonly string[]
  readonly dryRun: boolean
  readonly prune: boolean
  readonly test: boolean
}

export interface UpdateReport {
  readonly outdated: readonly Outdated[]
  readonly report: InstallReport
  readonly pruned: readonly InstalledVersion[]
}

export async function updatePackages(
  world: World,
  config: ConfigRequest,
  request: UpdateRequest,
  conversation: Conversation,
): Promise<UpdateReport> {
  const context = await openPackages(world, config, request, conversation)
  const outdated = await outdatedOf(context, request.names)
  if (outdated.length === 0) return { outdated, report: { planned: [], installed: [] }, pruned: [] }
  const wanted = outdated.map(({ url, latest }) => ({
    spec: { kind: 'git', url, tag: `v${latest}` } as const,
  }))
  const options = {
    frozen: false,
    offline: request.offline,
    dryRun: request.dryRun,
    force: false,
    test: request.test,
  }
  const report = await interruptible(world, (signal) => install(wanted, options, context.installDeps(signal)))
  const pruned: InstalledVersion[] = []
  if (request.prune && !request.dryRun) {
    for (const { name, latest } of outdated) {
      for (const { version } of installedVersions(context.places.toolsDir, name)) {
        if (compareVersions(version, latest) < 0)
          pruned.push(...(await uninstall(name, version, context.places)))
      }
    }
  }
  return { outdated, report, pruned }
}

export async function listOutdated(
  world: World,
  config: ConfigRequest,
  names: readonly string[],
  conversation: Conversation,
): Promise<Outdated[]> {
  return outdatedOf(
    await openPackages(world, config, { offline: false, refresh: false }, conversation),
    names,
  )
}

async function outdatedOf(context: PackageContext, names: readonly string[]): Promise<Outdated[]> {
  const { packages } = readLock(context.places.lockFile)
  for (const name of names) {
    const wrong = checkPackageName(name)
    if (wrong !== undefined)
      throw new OrlaError('E_USAGE', `${JSON.stringify(name)} cannot be the name of a package: ${wrong}`)
    if (!packages.some((entry) => entry.name === name)) {
      throw new OrlaError('E_NOT_FOUND', `${name} is not in ${context.places.lockFile}`, {
        hint: '`orla list` shows what is installed',
      })
    }
  }
  const chosen = names.length === 0 ? packages : packages.filter((entry) => names.includes(entry.name))
  return findOutdated(chosen, context.git, (entry) => tokenOf(context, entry), context.conversation.warn)
}

function tokenOf({ registries, token }: PackageContext, { pin }: LockEntry): string | undefined {
  if (pin.kind !== 'git' || pin.registry === undefined) return undefined
  const registry = registries.find(({ url }) => url === pin.registry)
  return registry && token(registry, pin.url)
}

export interface Choice {
  readonly name: string
  readonly version: string
  readonly file: string
}

/** `orla use NAME@vVERSION`: that version serves from now on. */
export async function usePackage(
  world: World,
  config: ConfigRequest,
  word: string,
  conversation: Conversation,
): Promise<Choice> {
  const context = await openPackages(world, config, HERE, conversation)
  const { name, version } = parseInstalled(word)
  const versions = versionsOf(context, name)
  if (version === undefined) {
    throw new OrlaError('E_USAGE', 'which version?', {
      hint: `write ${name}@v${versions[0] ?? '1.0.0'}; installed: ${versions.join(', ') || 'none'}`,
    })
  }
  if (!versions.includes(version)) {
    throw new OrlaError('E_NOT_FOUND', `version ${version} of ${name} is not installed`, {
      hint: versions.length > 0 ? `installed: ${versions.join(', ')}` : `orla install ${name}@v${version}`,
    })
  }
  return { name, version, file: await choose(context, name, version) }
}

/** The version before the one that serves now. */
export async function rollbackPackage(
  world: World,
  config: ConfigRequest,
  word: string,
  conversation: Conversation,
): Promise<Choice> {
  const context = await openPackages(world, config, HERE, conversation)
  const { name } = parseInstalled(word)
  const versions = versionsOf(context, name)
  const current = context.loaded.config.versions[name]?.replace(/^v/, '') ?? versions[0]
  const before = versions.find((version) => current !== undefined && compareVersions(version, current) < 0)
  if (before === undefined) {
    throw new OrlaError(
      'E_NOT_FOUND',
      `there is no version of ${name} before ${current ?? 'the one installed'}`,
      {
        hint: `installed: ${versions.join(', ') || 'none'}`,
      },
    )
  }
  return { name, version: before, file: await choose(context, name, before) }
}

/** Newest first, of the project and of everyone. */
function versionsOf({ places }: PackageContext, name: string): string[] {
  const roots = [places.toolsDir, join(places.home, 'tools')]
  const all = roots.flatMap((root) => installedVersions(root, name).map(({ version }) => version))
  return [...new Set(all)].sort((a, b) => compareVersions(b, a))
}

/** Writes the `versions` map, comments kept. */
async function choose(
  { loaded, places }: PackageContext,
  name: string,
  version: string | undefined,
): Promise<string> {
  const file = loaded.file ?? join(places.home, 'config.yaml')
  makeFolder(join(file, '..'))
  writeFileAtomic(file, await setVersion(readTextIfThere(file) ?? '', name, version))
  return file
}
