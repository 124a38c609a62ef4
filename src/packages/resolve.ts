import { chooseTag } from '../formats/index.ts'
import { nearest, OrlaError, type Registry, type RegistryEntry } from '../model/index.ts'
import { checkGitUrl, type GitCache, type TagCommit } from '../platform/index.ts'
import type { RegistryIndex } from './registry-index.ts'
import type { Spec } from './spec.ts'

/** Exactly what is to be fetched. */
export type Resolved =
  | {
      readonly kind: 'git'
      readonly url: string
      readonly tag: string
      readonly commit: string
      /** A password for this repository; it is never written down. */
      readonly token?: string
      readonly origin?: FromRegistry
    }
  | { readonly kind: 'local'; readonly path: string }
  | {
      readonly kind: 'download'
      readonly url: string
      readonly sha256?: string
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
  readonly index: (registry: Registry) => Promise<RegistryIndex>
  readonly token: (registry: Registry, url: string) => string | undefined
  readonly warn: (message: string) => void
}

export async function resolveSpec(spec: Spec, deps: ResolveDeps): Promise<Resolved> {
  switch (spec.kind) {
    case 'local':
      return { kind: 'local', path: spec.path }
    case 'download':
      return { kind: 'download', url: spec.url }
    case 'git':
      return resolveGit(spec.url, spec.tag, deps)
    case 'name': {
      const { entry, registry } = await findEntry(spec, deps)
      const origin = { registry, name: entry.name }
      if (isArchiveUrl(entry.repository)) {
        const sha256 = entry.sha256 === undefined ? {} : { sha256: entry.sha256 }
        return { kind: 'download', url: entry.repository, ...sha256, origin }
      }
      return { ...(await resolveGit(entry.repository, spec.tag, deps, registry)), origin }
    }
  }
}

function isArchiveUrl(url: string): boolean {
  return /^https?:.*\.(?:zip|tgz|tar\.gz|mcpkg)$/i.test(url)
}

async function findEntry(
  spec: Extract<Spec, { kind: 'name' }>,
  deps: ResolveDeps,
): Promise<{ entry: RegistryEntry; registry: Registry }> {
  const asked =
    spec.registry === undefined
      ? deps.registries
      : deps.registries.filter(({ name }) => name === spec.registry)
  if (asked.length === 0) throw unknownRegistry(spec.registry, deps.registries)
  const indexes: RegistryIndex[] = []
  let failure: unknown
  for (const registry of asked) {
    try {
      indexes.push(await deps.index(registry))
    } catch (error) {
      // One that cannot be reached does not keep the others from answering.
      if (!(error instanceof OrlaError) || error.code === 'E_UNTRUSTED' || asked.length === 1) throw error
      deps.warn(error.message)
      failure = error
    }
  }
  const found = indexes.flatMap(({ registry, entries }) =>
    entries.filter(({ name }) => name === spec.name).map((entry) => ({ entry, registry })),
  )
  const [first, ...others] = found
  if (first === undefined) throw failure ?? unknownName(spec.name, indexes)
  if (others.length > 0) {
    const where = others.map(({ registry }) => registry.name).join(', ')
    deps.warn(`\`${spec.name}\` is also in ${where}; taking the one of ${first.registry.name}`)
  }
  return first
}

function unknownRegistry(name: string | undefined, registries: readonly Registry[]): OrlaError {
  const names = registries.map((registry) => registry.name)
  if (name === undefined) {
    return new OrlaError('E_NOT_FOUND', 'no registry is configured', {
      hint: '`orla registry add NAME URL` adds one',
    })
  }
  const close = nearest(name, names)
  return new OrlaError('E_NOT_FOUND', `there is no registry \`${name}\``, {
    hint: close ? `did you mean \`${close}\`?` : `configured: ${names.join(', ') || 'none'}`,
  })
}

function unknownName(name: string, indexes: readonly RegistryIndex[]): OrlaError {
  const names = indexes.flatMap(({ entries }) => entries.map((entry) => entry.name))
  const close = nearest(name, names)
  const where = indexes.map(({ registry }) => registry.name).join(', ')
  return new OrlaError('E_NOT_FOUND', `there is no package \`${name}\` in ${where}`, {
    hint: close ? `did you mean \`${close}\`?` : `\`orla search ${name}\` looks in descriptions too`,
  })
}

async function resolveGit(
  address: string,
  tag: string | undefined,
  deps: ResolveDeps,
  registry?: Registry,
): Promise<Extract<Resolved, { kind: 'git' }>> {
  const { url, credential } = checkGitUrl(address, deps.cwd)
  const token = credential?.password ?? (registry && deps.token(registry, url))
  const tags = await tagsOf(url, token, deps)
  const chosen = tag ?? chooseTag(tags.map((one) => one.tag))
  if (chosen === undefined) {
    throw new OrlaError('E_NOT_FOUND', `${url} has no tag that is a version, such as v1.0.0`, {
      hint: 'its author publishes one with `orla publish`',
    })
  }
  const found = tags.find((one) => one.tag === chosen)
  if (found === undefined) {
    const known = tags
      .map((one) => one.tag)
      .slice(-8)
      .join(', ')
    throw new OrlaError('E_NOT_FOUND', `${url} has no tag ${chosen}`, {
      hint: known === '' ? 'it has no tags' : `it has ${known}`,
    })
  }
  return { kind: 'git', url, tag: chosen, commit: found.commit, ...(token === undefined ? {} : { token }) }
}

/** From the repository itself; from the cache when offline, or when it cannot be reached. */
async function tagsOf(
  url: string,
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
    return await deps.git.listTags(url, token === undefined ? {} : { token })
  } catch (error) {
    const cached = await deps.git.cachedTags(url)
    if (cached.length === 0) throw error
    deps.warn(`${url} cannot be reached; using what is cached`)
    return cached
  }
}
