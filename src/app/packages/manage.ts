import { join } from 'node:path'
import {
  checkInstallName,
  compareVersions,
  isPreRelease,
  isToolId,
  newestFirst,
  setVersion,
} from '../../formats/index.ts'
import { type LockEntry, OrlaError } from '../../model/index.ts'
import {
  findOutdated,
  type InstalledVersion,
  type InstallReport,
  install,
  installedVersions,
  type Outdated,
  type Outlook,
  parseSpec,
  readLocks,
  rootOf,
  type ToRemove,
  uninstall,
} from '../../packages/index.ts'
import type { ConfigRequest } from '../config.ts'
import { reviewUpdate } from '../diff/review-update.ts'
import { editConfig } from '../edit-config.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'
import { findPackages, missingWithout } from './found.ts'
import { interruptible } from './install.ts'
import { oldVersions } from './prune.ts'
import { tellWhatServes } from './serving.ts'

const HERE: NetworkOptions = { offline: true, refresh: false }

/** `NAME[@vVERSION]` of something installed. */
function parseInstalled(word: string): ToRemove {
  // What is installed has versions, not tags: nobody has to think of the v.
  const hint = '`orla list` shows what is installed'
  const spec = parseSpec(word.replace(/^([^/]*)@(?=\d)/, '$1@v'), hint)
  if (spec.kind !== 'name' || spec.registry !== undefined) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} is not the name of an installed package`, {
      hint,
    })
  }
  if (word.endsWith('@latest')) {
    throw new OrlaError(
      'E_USAGE',
      '`latest` is for installing; of what is installed a version has to be named',
      {
        hint: `write ${spec.name}@v1.0.0 or ${spec.name}; \`orla list\` shows the versions`,
      },
    )
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
  const all = await findPackages(context.loaded)
  const removed = await uninstall(asked, context.places)
  for (const { name, version } of asked) {
    const chosen = context.loaded.config.versions[name]?.replace(/^v/, '')
    if (chosen !== undefined && (version === undefined || chosen === version))
      await choose(context, name, undefined)
  }
  for (const need of missingWithout(all, new Set(removed.map(({ folder }) => folder)))) {
    conversation.warn(`${need}, which is gone now`)
  }
  return removed
}

export interface UpdateRequest extends NetworkOptions {
  readonly names: readonly string[]
  readonly dryRun: boolean
  readonly prune: boolean
  readonly test: boolean
  readonly allowDowngrade: boolean
  /** Not if a caller would be worse off. */
  readonly safe?: boolean
}

export interface UpdateReport extends Outlook {
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
  const { outdated, unasked } = await outdatedOf(context, request.names)
  const report = await bring(outdated, context, request)
  const old = request.prune && !request.dryRun ? await oldVersions(context, request.names) : []
  const pruned = old.length === 0 ? [] : await uninstall(old, context.places)
  return { outdated, unasked, report, pruned }
}

async function bring(
  outdated: readonly Outdated[],
  context: PackageContext,
  request: UpdateRequest,
): Promise<InstallReport> {
  if (outdated.length === 0) return { planned: [], installed: [] }
  const { packages } = readLocks(context.places)
  // From where it came, under the name it had: the lock says both.
  const wanted = outdated.flatMap(({ name, current, latest }) =>
    packages
      .filter((entry) => entry.name === name && entry.version === current)
      .map((update) => ({ update, tag: `v${latest}` })),
  )
  const options = {
    frozen: false,
    offline: request.offline,
    dryRun: request.dryRun,
    force: false,
    test: request.test,
    allowDowngrade: request.allowDowngrade,
  }
  const report = await interruptible(context.world, async (signal) => {
    const review = reviewUpdate(context.installDeps(signal), context, request.safe ?? false, signal)
    const done = await install(wanted, options, review.deps)
    if (request.dryRun) review.check(done.planned)
    return { ...done, planned: review.withTests(done.planned) }
  })
  tellWhatServes(context, report.installed)
  return report
}

export async function listOutdated(
  world: World,
  config: ConfigRequest,
  names: readonly string[],
  conversation: Conversation,
): Promise<Outlook> {
  return outdatedOf(
    await openPackages(world, config, { offline: false, refresh: false }, conversation),
    names,
  )
}

/** Those that cannot be asked are told. */
async function outdatedOf(context: PackageContext, names: readonly string[]): Promise<Outlook> {
  const { packages } = readLocks(context.places)
  for (const name of names) {
    checkName(name)
    if (!packages.some((entry) => entry.name === name)) {
      throw new OrlaError('E_NOT_FOUND', `${name} is not in orla.lock`, {
        hint: '`orla list` shows what is installed',
      })
    }
  }
  const chosen = names.length === 0 ? packages : packages.filter((entry) => names.includes(entry.name))
  const outlook = await findOutdated(chosen, context.git, (entry) => tokenOf(context, entry))
  for (const { name, reason } of outlook.unasked) context.conversation.warn(`${name}: ${reason}`)
  return outlook
}

/** A name and nothing else: the version is what is asked for. */
function checkName(word: string): void {
  const [name = '', ...tag] = word.split('@')
  const wrong = checkInstallName(name)
  if (wrong !== undefined) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} cannot be the name of a package: ${wrong}`, {
      hint: '`orla list` shows what is installed',
    })
  }
  if (tag.length > 0) {
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} names a version; here the newest one counts`, {
      hint: `write ${name}; \`orla install ${name}@v1.0.0\` installs a certain version`,
    })
  }
}

export function tokenOf({ registries, token }: PackageContext, { pin }: LockEntry): string | undefined {
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
  const { name, version: named } = parseInstalled(word)
  if (named !== undefined) {
    throw new OrlaError('E_USAGE', 'the version to go back to is the one before, not one that is named', {
      hint: `\`orla use ${name}@v${named}\` chooses it`,
    })
  }
  const own = (await findPackages(context.loaded)).filter(({ manifest }) => manifest.name === name)
  const versions = newestFirst(own.map(({ manifest }) => manifest.version))
  if (versions.length === 0) {
    throw new OrlaError('E_NOT_FOUND', `${name} is not installed`, { hint: '`orla list` shows what is' })
  }
  const current = own.find(({ state }) => state === 'in use')?.manifest.version
  const older = versions.filter((version) => current !== undefined && compareVersions(version, current) < 0)
  // Beside stable versions a pre-release has never served unless it was chosen.
  const before = older.find((version) => !isPreRelease(version)) ?? older[0]
  if (before === undefined) {
    throw new OrlaError(
      'E_NOT_FOUND',
      `there is no version of ${name} before ${current ?? 'the one installed'}`,
      {
        hint: `installed: ${versions.join(', ')}`,
      },
    )
  }
  return { name, version: before, file: await choose(context, name, before) }
}

/** Newest first, of the project and of everyone. */
function versionsOf({ places }: PackageContext, name: string): string[] {
  const roots = isToolId(name) ? [rootOf(places, name)] : [places.toolsDir, join(places.home, 'tools')]
  const all = roots.flatMap((root) => installedVersions(root, name).map(({ version }) => version))
  return newestFirst([...new Set(all)])
}

/** Writes the `versions` map, comments kept. */
async function choose(
  { world, request }: PackageContext,
  name: string,
  version: string | undefined,
): Promise<string> {
  return editConfig(world, request, (source) => setVersion(source, name, version))
}
