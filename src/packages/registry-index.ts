import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { loadYaml, readRegistry } from '../formats/index.ts'
import { OrlaError, type Registry, type RegistryEntry } from '../model/index.ts'
import { type GitCache, makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'

export interface RegistryIndex {
  readonly registry: Registry
  readonly entries: readonly RegistryEntry[]
}

export interface IndexOptions {
  readonly cacheDir: string
  readonly git: GitCache
  /** Never touch the network. */
  readonly offline: boolean
  /** Ask again although the cached copy is fresh. */
  readonly refresh: boolean
  readonly token: (registry: Registry) => string | undefined
  readonly warn: (message: string) => void
  readonly now: () => Date
}

const FRESH_MS = 3_600_000

interface CachedIndex {
  readonly url: string
  readonly fetched_at: string
  readonly text: string
}

/** The index of a registry: cached for an hour, and longer when it cannot be reached. */
export async function loadIndex(registry: Registry, options: IndexOptions): Promise<RegistryIndex> {
  const file = join(
    options.cacheDir,
    'index',
    `${createHash('sha256').update(registry.url).digest('hex')}.json`,
  )
  const cached = readCached(file, registry.url)
  const isFresh = cached !== undefined && options.now().getTime() - Date.parse(cached.fetched_at) < FRESH_MS
  if (options.offline) {
    if (cached) return parse(registry, cached.text, options)
    throw new OrlaError('E_OFFLINE', `the index of the registry \`${registry.name}\` is not cached`, {
      hint: 'run the command once without --offline',
    })
  }
  if (cached && isFresh && !options.refresh) return parse(registry, cached.text, options)
  try {
    const token = options.token(registry)
    const text = await options.git.readFile(
      registry.url,
      'registry.yaml',
      token === undefined ? {} : { token },
    )
    const index = await parse(registry, text, options)
    keep(file, { url: registry.url, fetched_at: options.now().toISOString(), text })
    return index
  } catch (error) {
    if (cached === undefined || !isUnreachable(error)) throw error
    options.warn(
      `the registry \`${registry.name}\` cannot be reached; using its index of ${cached.fetched_at}`,
    )
    return parse(registry, cached.text, options)
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof OrlaError && (error.code === 'E_NETWORK' || error.code === 'E_GIT')
}

async function parse(registry: Registry, text: string, options: IndexOptions): Promise<RegistryIndex> {
  const { entries, problems } = readRegistry(text, `${registry.name}/registry.yaml`, await loadYaml())
  for (const problem of problems) options.warn(`${problem.file}:${problem.line}: ${problem.message}`)
  return { registry, entries }
}

function readCached(file: string, url: string): CachedIndex | undefined {
  try {
    const cached = JSON.parse(readTextIfThere(file) ?? 'null') as CachedIndex | null // written by `keep`
    return cached !== null && cached.url === url ? cached : undefined
  } catch {
    return undefined // a damaged copy is as good as none
  }
}

function keep(file: string, cached: CachedIndex): void {
  makeFolder(join(file, '..'))
  writeFileAtomic(file, JSON.stringify(cached))
}
