import { join } from 'node:path'
import { createDiscovery, type FoundPackage, packageMode } from '../../catalog/index.ts'
import {
  type CalledPermission,
  calledPermissions,
  compareVersions,
  describeWord,
  isArchiveUrl,
  isToolId,
  keyFingerprint,
  packageFacts,
  parseTag,
  toManifestFile,
} from '../../formats/index.ts'
import {
  type Catalog,
  type Enforcement,
  isJsonObject,
  type JsonObject,
  nearest,
  type Origin,
  OrlaError,
  type Receipt,
  type Registry,
} from '../../model/index.ts'
import { installedVersions, parseSpec, sourceOf } from '../../packages/index.ts'
import { readTextIfThere, realPath, shownUrl } from '../../platform/index.ts'
import type { ConfigRequest } from '../config.ts'
import type { Confinement } from '../confinement.ts'
import { orderHere } from '../ranking/rank.ts'
import { openConfinement } from '../sandbox/open.ts'
import { whereOf } from '../where.ts'
import type { World } from '../world.ts'
import { type Conversation, type NetworkOptions, openPackages, type PackageContext } from './context.ts'
import { type ImplementationInfo, implementationsOf } from './implementation-info.ts'
import { calledTool } from './served-tools.ts'

export interface PackageInfo {
  readonly name: string
  readonly description: string
  readonly installed: readonly InstalledInfo[]
  /** Newest first; empty when nobody could be asked. */
  readonly available: readonly string[]
  readonly registry: string | null
  readonly repository: string | null
}

export interface InstalledInfo {
  readonly version: string
  readonly state: 'in use' | 'other version' | 'shadowed'
  readonly mode: string
  readonly folder: string
  readonly from: string | null
  readonly installed_at: string | null
  readonly digest: string | null
  /** Who signed it, as far as was checked at the install. */
  readonly signer: { readonly key: string; readonly fingerprint: string } | null
  /** What an .mcpkg says of who publishes it and what it was built from; nobody has checked that. */
  readonly publisher: JsonObject | null
  readonly provenance: JsonObject | null
  readonly permissions: readonly { readonly word: string; readonly meaning: string }[]
  /** What holds it to them here; null for the operator's own folders. */
  readonly sandbox: PackageSandbox | null
  readonly manifest: JsonObject
  /** The tools its chain calls, and what they may do; empty for everything that is no chain. */
  readonly calls: readonly string[]
  readonly call_permissions: readonly (CalledPermission & { readonly meaning: string })[]
  /** Of an .mcpkg: every way it has to be carried out, as it would be tried here; empty for others. */
  readonly implementations: readonly ImplementationInfo[]
}

export interface PackageSandbox extends Enforcement {
  /** Why it does not run here; null when it does. */
  readonly denied: string | null
}

/** Everything known about a package: what is installed, what could be. */
export async function packageInfo(
  world: World,
  config: ConfigRequest,
  word: string,
  network: NetworkOptions,
  conversation: Conversation,
): Promise<PackageInfo> {
  const context = await openPackages(world, config, network, conversation)
  const hint = 'write NAME or registry/NAME; `orla validate PATH` looks at a folder or an archive'
  const spec = parseSpec(word, hint)
  if (spec.kind !== 'name')
    throw new OrlaError('E_USAGE', `${JSON.stringify(word)} is not the name of a package`, { hint })
  const { packages, catalog } = await createDiscovery().scan(whereOf(context.loaded))
  const own = packages.filter(({ manifest }) => manifest.name === spec.name)
  const { listed, failures } = await fromRegistries(context, spec, network.offline)
  const isUnknown = own.length === 0 && listed === undefined
  // It may be in one that could not be asked: that is the error then, not a warning beside another one.
  const last = isUnknown && !catalog.tools.has(spec.name) ? failures.pop() : undefined
  for (const { message } of failures) conversation.warn(message)
  if (last !== undefined) throw last
  if (isUnknown) {
    const close = nearest(
      spec.name,
      packages.map(({ manifest }) => manifest.name),
    )
    if (catalog.tools.has(spec.name))
      throw new OrlaError('E_NOT_FOUND', `\`${spec.name}\` is a tool of this project, not a package`, {
        hint: `\`orla list --json\` tells what it takes`,
      })
    throw new OrlaError('E_NOT_FOUND', `there is no package \`${spec.name}\``, {
      hint: close ? `did you mean \`${close}\`?` : `\`orla search ${spec.name}\` looks in descriptions too`,
    })
  }
  return {
    name: spec.name,
    description: own[0]?.manifest.description ?? listed?.description ?? '',
    installed: await tellInstalled(world, context, own, catalog),
    available: listed?.versions ?? [],
    registry: listed?.registry ?? null,
    repository: listed?.repository ?? null,
  }
}

/** Newest first. */
async function tellInstalled(
  world: World,
  { loaded }: PackageContext,
  packages: readonly FoundPackage[],
  catalog: Catalog,
): Promise<InstalledInfo[]> {
  const confinement = openConfinement(world, loaded)
  const order = orderHere(loaded, Date.now())
  const newestFirst = packages.toSorted((a, b) => compareVersions(b.manifest.version, a.manifest.version))
  try {
    return await Promise.all(newestFirst.map(tell))
  } finally {
    await confinement.close()
  }

  async function tell(found: FoundPackage): Promise<InstalledInfo> {
    const { manifest, folder, state } = found
    const root = isToolId(manifest.name) ? join(loaded.root, '.mcp') : join(folder, '../..')
    const receipt = installedVersions(root, manifest.name).find((one) => one.folder === folder)?.receipt
    return {
      version: manifest.version,
      state,
      mode: packageMode(found),
      folder,
      from: fromOf(found),
      installed_at: receipt?.installed_at ?? null,
      digest: receipt?.digest ?? null,
      signer:
        receipt?.signer === undefined
          ? null
          : { key: receipt.signer, fingerprint: keyFingerprint(receipt.signer) },
      publisher: publisherOf(found),
      provenance: metaOf(found, 'provenance'),
      permissions: (manifest.permissions ?? []).map((one) => ({ word: one, meaning: describeWord(one) })),
      sandbox: await sandboxOf(found, receipt, confinement),
      manifest: manifestOf(found),
      ...calledBy(found, catalog),
      implementations: implementationsOf(found, order),
    }
  }
}

function fromOf({ pin, folder, linked }: FoundPackage): string | null {
  if (linked) return `${realPath(folder)} (linked)`
  return pin === undefined ? null : sourceOf(pin)
}

async function sandboxOf(
  { manifest, folder, scope }: FoundPackage,
  receipt: Receipt | undefined,
  { explain }: Confinement,
): Promise<PackageSandbox | null> {
  const facts = packageFacts(manifest, receipt)
  const origin: Origin = { kind: 'package', file: folder, folder, scope, package: facts }
  const found = await explain({ name: manifest.name, origin })
  if (found === undefined) return null
  if (!('held' in found)) return { backend: 'none', enforced: [], unenforced: [], denied: found.denied }
  const { backend, enforced, unenforced } = found.held
  return { backend, enforced, unenforced, denied: found.denied ?? null }
}

/** As long as a tool is not served, nobody knows what it may do. */
function calledBy(
  { mcpkg }: FoundPackage,
  { tools }: Catalog,
): Pick<InstalledInfo, 'calls' | 'call_permissions'> {
  const calls = [...new Set(mcpkg?.manifest.chain?.map(({ tool }) => tool))]
  const all = calledPermissions(calls, (name) => {
    const tool = tools.get(name)
    return tool && calledTool(tool)
  })
  return { calls, call_permissions: all.map((one) => ({ ...one, meaning: describeWord(one.word) })) }
}

/** As its author wrote it. */
function manifestOf({ manifest, mcpkg, folder }: FoundPackage): JsonObject {
  if (mcpkg === undefined) return toManifestFile(manifest)
  const written: unknown = JSON.parse(readTextIfThere(join(folder, 'manifest.json')) ?? '{}')
  return isJsonObject(written) ? written : {}
}

/** meta/publisher.json; what manifest.json says of it where there is none. */
function publisherOf(found: FoundPackage): JsonObject | null {
  const { publisher } = found.mcpkg?.manifest.meta ?? {}
  return metaOf(found, 'publisher') ?? (publisher === undefined ? null : { ...publisher })
}

/** A file in meta/ of an .mcpkg; null when it is not there or says nothing. */
function metaOf({ mcpkg, folder }: FoundPackage, name: string): JsonObject | null {
  if (mcpkg === undefined) return null
  try {
    const written: unknown = JSON.parse(readTextIfThere(join(folder, 'meta', `${name}.json`)) ?? 'null')
    return isJsonObject(written) ? written : null
  } catch {
    return null // `orla validate` says what is wrong with it
  }
}

interface Listed {
  readonly registry: string
  readonly repository: string
  readonly description: string
  readonly versions: readonly string[]
}

/** What the first registry that knows the name says, that one only, when one was named; and what kept others from it. */
async function fromRegistries(
  context: PackageContext,
  { name, registry: wanted }: { readonly name: string; readonly registry?: string },
  offline: boolean,
): Promise<{ readonly listed?: Listed; readonly failures: Error[] }> {
  const { registries, index } = context
  const asked = wanted === undefined ? registries : registries.filter((one) => one.name === wanted)
  if (asked.length === 0 && wanted !== undefined) {
    throw new OrlaError('E_NOT_FOUND', `there is no registry \`${wanted}\``, {
      hint: '`orla registry list` shows them',
    })
  }
  const failures: Error[] = []
  for (const registry of asked) {
    try {
      const entry = (await index(registry)).entries.find(name)
      if (entry === undefined) continue
      const { repository, description } = entry
      const versions = await versionsOf(context, registry, repository, offline)
      const listed = { registry: registry.name, repository: shownUrl(repository), description, versions }
      return { listed, failures }
    } catch (error) {
      if (error instanceof OrlaError && error.code === 'E_INTERRUPTED') throw error
      // What is installed can be told without them.
      failures.push(error as Error)
    }
  }
  return { failures }
}

/** Newest first. An archive holds one version, which it tells when it is unpacked. */
async function versionsOf(
  { git, token, conversation }: PackageContext,
  registry: Registry,
  repository: string,
  offline: boolean,
): Promise<string[]> {
  if (isArchiveUrl(repository)) return []
  const secret = token(registry, repository)
  const ask = async () => {
    try {
      return await git.listTags(repository, secret === undefined ? {} : { token: secret })
    } catch (error) {
      const cached = await git.cachedTags(repository)
      const old = cached.length === 0 ? '' : '; the versions are those that are cached'
      conversation.warn(`${(error as Error).message}${old}`)
      return cached
    }
  }
  const tags = offline ? await git.cachedTags(repository) : await ask()
  return tags
    .filter(({ tag }) => parseTag(tag) !== null)
    .map(({ tag }) => tag.slice(1))
    .sort((a, b) => compareVersions(b, a))
}
