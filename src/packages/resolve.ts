import { chooseTag, isArchiveUrl, newestFirst, parseTag } from '../formats/index.ts'
import { OrlaError, type Registry } from '../model/index.ts'
import { checkGitUrl, type GitCache, isArchiveAt, shownUrl, type TagCommit } from '../platform/index.ts'
import { findEntry } from './find-entry.ts'
import { fitsAll, type Need, noneFits } from './needs.ts'
import type { RegistryIndex } from './registry-index.ts'
import type { Spec } from './spec.ts'
import { isUnreachable } from './unreachable.ts'

/** Exactly what is to be fetched. */
export type Resolved =
  | {
      readonly kind: 'git'
      readonly url: string
      readonly tag: string
      readonly commit: string
      /** What git is given when the address brings a password along; it is never written down. */
      readonly address?: string
      readonly origin?: FromRegistry
    }
  | { readonly kind: 'local'; readonly path: string }
  | {
      readonly kind: 'download'
      readonly url: string
      readonly sha256?: string
      /** What it must hold, `v` and a version, when someone said so. */
      readonly tag?: string
      readonly origin?: FromRegistry
    }

export interface FromRegistry {
  readonly registry: Registry
  /** What the manifest must call itself. */
  readonly name: string
}

export interface ResolveDeps {
  readonly git: GitCache
  readonly cwd: string
  readonly offline: boolean
  /** The registries to ask, in order. */
  readonly registries: readonly Registry[]
  /** `again`: from the registry itself, although a copy of it is fresh. */
  readonly index: (registry: Registry, again?: boolean) => Promise<RegistryIndex>
  readonly token: (registry: Registry, url: string) => string | undefined
  readonly warn: (message: string) => void
  readonly signal?: AbortSignal
}

/** What else decides when a package is needed by others. */
export interface Circumstances {
  readonly needs: readonly Need[]
  /** The registry of who needs it: a name means there what its author meant. */
  readonly registry?: string
}

export async function resolveSpec(
  spec: Spec,
  deps: ResolveDeps,
  { needs, registry: preferred }: Circumstances,
): Promise<Resolved> {
  switch (spec.kind) {
    case 'local':
      return { kind: 'local', path: spec.path }
    case 'download':
      return spec.sha256 === undefined
        ? { kind: 'download', url: spec.url }
        : { kind: 'download', url: spec.url, sha256: spec.sha256 }
    case 'git':
      return spec.tag === undefined
        ? gitOrArchive(spec.url, deps, () => resolveGit(spec.url, undefined, deps))
        : resolveGit(spec.url, spec.tag, deps)
    case 'name': {
      const { entry, registry } = await findEntry(spec, deps, preferred)
      const origin = { registry, name: entry.name }
      const isWeb = /^https?:/i.test(entry.repository)
      if (isArchiveUrl(entry.repository) || (entry.archive && isWeb)) {
        const sha256 = entry.sha256 === undefined ? {} : { sha256: entry.sha256 }
        const tag = spec.tag === undefined ? {} : { tag: spec.tag }
        return { kind: 'download', url: entry.repository, ...sha256, ...tag, origin }
      }
      const found = await gitOrArchive(entry.repository, deps, () =>
        resolveGit(entry.repository, spec.tag, deps, registry, needs),
      )
      const tag = found.kind === 'download' && spec.tag !== undefined ? { tag: spec.tag } : {}
      return { ...found, ...tag, origin }
    }
  }
}

type Fetched = Extract<Resolved, { kind: 'git' | 'download' }>

/** An address says little: what git cannot read may be a file that calls itself an archive. */
async function gitOrArchive(
  address: string,
  { offline, signal }: ResolveDeps,
  asGit: () => Promise<Fetched>,
): Promise<Fetched> {
  try {
    return await asGit()
  } catch (error) {
    const mayBe = error instanceof OrlaError && NOT_GIT.has(error.code) && /^https?:/i.test(address)
    if (!mayBe || offline || !(await isArchiveAt(address, signal))) throw withTagHint(error, address)
    return { kind: 'download', url: address }
  }
}

/** Behind a name the tag follows an @, behind an address a #. */
function withTagHint(error: unknown, address: string): unknown {
  const [, before, tag] = /^(.*)@(v\d\S*|latest)$/.exec(shownUrl(address)) ?? []
  if (before === undefined || !(error instanceof OrlaError) || error.code !== 'E_GIT') return error
  const hint = tag === 'latest' ? `type ${before}` : `type ${before}#${tag}`
  return new OrlaError(error.code, error.message, { hint, cause: error })
}

const NOT_GIT: ReadonlySet<string> = new Set(['E_GIT', 'E_NETWORK'])

export async function resolveGit(
  written: string,
  tag: string | undefined,
  deps: ResolveDeps,
  registry?: Registry,
  needs: readonly Need[] = [],
): Promise<Extract<Resolved, { kind: 'git' }>> {
  // A relative path in a registry elsewhere means nothing here.
  const { url, credential } = checkGitUrl(written, registry === undefined ? deps.cwd : undefined)
  const address = credential === undefined ? {} : { address: written }
  const token = credential === undefined && registry ? deps.token(registry, url) : undefined
  const tags = await tagsOf(url, address.address ?? url, token, deps)
  const versions = tags.filter((one) => parseTag(one.tag) !== null).map((one) => one.tag)
  const chosen = tag ?? chooseTag(versions.filter((one) => fitsAll(needs, one)))
  if (chosen === undefined && versions.length > 0) {
    throw noneFits(
      needs[0]?.requirement.name ?? url,
      needs,
      versions.map((one) => one.slice(1)),
    )
  }
  if (chosen === undefined) {
    throw new OrlaError('E_NOT_FOUND', `${url} has no tag that is a version, such as v1.0.0`, {
      hint: 'its author publishes one with `orla publish`',
    })
  }
  const found = tags.find((one) => one.tag === chosen)
  if (found === undefined) {
    throw new OrlaError('E_NOT_FOUND', `${url} has no tag ${chosen}`, { hint: knownTags(versions) })
  }
  return { kind: 'git', url, tag: chosen, commit: found.commit, ...address }
}

function knownTags(tags: readonly string[]): string {
  const known = newestFirst(tags.map((tag) => tag.slice(1))).map((version) => `v${version}`)
  const more = known.length > SHOWN_TAGS ? ` and ${known.length - SHOWN_TAGS} older ones` : ''
  return known.length === 0
    ? 'it has no tag that is a version'
    : `it has ${known.slice(0, SHOWN_TAGS).join(', ')}${more}`
}

const SHOWN_TAGS = 8

/** From the repository itself; from the cache when offline, or when it cannot be reached. */
async function tagsOf(
  url: string,
  address: string,
  token: string | undefined,
  deps: ResolveDeps,
): Promise<readonly TagCommit[]> {
  if (deps.offline) {
    const cached = await deps.git.cachedTags(url)
    if (cached.length > 0) return cached
    throw new OrlaError('E_OFFLINE', `${url} is not cached`, {
      hint: 'run the command once without --offline',
    })
  }
  try {
    return await deps.git.listTags(address, {
      ...(token === undefined ? {} : { token }),
      ...(deps.signal === undefined ? {} : { signal: deps.signal }),
    })
  } catch (error) {
    if (!isUnreachable(error, url)) throw error
    const cached = await deps.git.cachedTags(url)
    if (cached.length === 0) throw error
    deps.warn(`${url} cannot be reached; using what is cached`)
    return cached
  }
}
