import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { loadYaml, readRegistry } from '../formats/index.ts'
import { OrlaError, type Registry, type RegistryEntry } from '../model/index.ts'
import { type GitCache, makeFolder, readTextIfThere, writeFileAtomic } from '../platform/index.ts'
import { isUnreachable } from './unreachable.ts'

export interface RegistryIndex {
  readonly registry: Registry
  readonly entries: readonly RegistryEntry[]
  /** Of the entries that cannot be read, each with its line. */
  readonly problems: readonly string[]
  /** From an earlier time, although the registry could be asked. */
  readonly isCopy: boolean
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

/** Another number when other entries come out of the same text: what was kept before is then read again. */
const READING = 2

interface CachedIndex {
  readonly url: string
  readonly fetched_at: string
  readonly text: string
  /** What was in the text: to read a long one takes seconds. */
  readonly reading?: Reading
}

interface Reading {
  readonly v: number
  readonly entries: readonly RegistryEntry[]
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

/** The index of a registry: cached for an hour, and longer when it cannot be reached. */
export async function loadIndex(registry: Registry, options: IndexOptions): Promise<RegistryIndex> {
  const file = join(
    options.cacheDir,
    'index',
    `${createHash('sha256').update(registry.url).digest('hex')}.json`,
  )
  const cached = readCached(file, registry.url)
  const ageMs = cached === undefined ? FRESH_MS : options.now().getTime() - Date.parse(cached.fetched_at)
  // From the future: the clock was wrong then or is wrong now, and nobody knows how old it is.
  const isFresh = ageMs >= 0 && ageMs < FRESH_MS
  if (options.offline) {
    if (cached) return indexOf(registry, await readingOf(cached))
    throw new OrlaError('E_OFFLINE', `the index of the registry \`${registry.name}\` is not cached`, {
      hint: 'run the command once without --offline',
    })
  }
  if (cached && isFresh && !options.refresh) {
    return indexOf(registry, await readingOf(cached), true)
  }
  try {
    const token = options.token(registry)
    const text = await options.git.readFile(
      registry.url,
      'registry.yaml',
      token === undefined ? {} : { token },
    )
    const reading = await read(text)
    if (isBroken(reading) && cached) {
      const before = await readingOf(cached)
      if (!isBroken(before)) {
        options.warn(
          `the index of the registry \`${registry.name}\` is broken; using the one of ${cached.fetched_at}`,
        )
        return indexOf(registry, before)
      }
    }
    keep(file, { url: registry.url, fetched_at: options.now().toISOString(), text, reading })
    const index = indexOf(registry, reading)
    // Once, when it is new: whoever asks for another package cannot do anything about them.
    for (const problem of index.problems) options.warn(problem)
    return index
  } catch (error) {
    if (cached === undefined || !isUnreachable(error, registry.url)) throw error
    options.warn(
      `the registry \`${registry.name}\` cannot be reached; using its index of ${cached.fetched_at}`,
    )
    return indexOf(registry, await readingOf(cached))
  }
}

/** Nothing in it can be read. A registry that lists nothing has nothing wrong either. */
function isBroken({ entries, problems }: Reading): boolean {
  return entries.length === 0 && problems.length > 0
}

async function readingOf({ text, reading }: CachedIndex): Promise<Reading> {
  return reading?.v === READING ? reading : read(text)
}

async function read(text: string): Promise<Reading> {
  const { entries, problems } = readRegistry(text, 'registry.yaml', await loadYaml())
  return { v: READING, entries, problems: problems.map(({ line, message }) => ({ line, message })) }
}

function indexOf(registry: Registry, { entries, problems }: Reading, isCopy = false): RegistryIndex {
  const shown = problems.map(({ line, message }) => `${registry.name}/registry.yaml:${line}: ${message}`)
  return { registry, entries, problems: shown, isCopy }
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
