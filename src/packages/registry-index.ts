import { join } from 'node:path'
import { OrlaError, type Registry, sha256 } from '../model/index.ts'
import { type GitCache, lastMove } from '../platform/index.ts'
import type { EntryList } from './entry-list.ts'
import { keepIndex, type Reading, readCached, readText } from './kept-index.ts'
import { isUnreachable } from './unreachable.ts'

export interface RegistryIndex {
  readonly registry: Registry
  readonly entries: EntryList
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

/** The index of a registry: cached for an hour, or until it moves on this machine, and longer when it cannot be reached. */
export async function loadIndex(registry: Registry, options: IndexOptions): Promise<RegistryIndex> {
  const kept = join(options.cacheDir, 'index', sha256(registry.url))
  const cached = readCached(kept, registry.url)
  const ageMs = cached === undefined ? FRESH_MS : options.now().getTime() - Date.parse(cached.fetchedAt)
  // From the future: the clock was wrong then or is wrong now, and nobody knows how old it is.
  const isFresh = ageMs >= 0 && ageMs < FRESH_MS && !hasMoved(registry.url, cached?.fetchedAt)
  if (options.offline) {
    if (cached) return indexOf(registry, await cached.reading())
    throw new OrlaError('E_OFFLINE', `the index of the registry \`${registry.name}\` is not cached`, {
      hint: 'run the command once without --offline',
    })
  }
  if (cached && isFresh && !options.refresh) {
    return indexOf(registry, await cached.reading(), true)
  }
  const fetchedAt = options.now().toISOString()
  try {
    const token = options.token(registry)
    const text = await options.git.readFile(
      registry.url,
      'registry.yaml',
      token === undefined ? {} : { token },
    )
    const reading = await readText(text)
    if (isBroken(reading) && cached) {
      const before = await cached.reading()
      if (!isBroken(before)) {
        options.warn(
          `the index of the registry \`${registry.name}\` is broken; using the one of ${cached.fetchedAt}`,
        )
        return indexOf(registry, before)
      }
    }
    keepIndex(kept, text, { url: registry.url, fetchedAt, ...reading })
    const index = indexOf(registry, reading)
    // Once, when it is new: whoever asks for another package cannot do anything about them.
    for (const problem of index.problems) options.warn(problem)
    return index
  } catch (error) {
    if (cached === undefined || !isUnreachable(error, registry.url)) throw error
    options.warn(
      `the registry \`${registry.name}\` cannot be reached; using its index of ${cached.fetchedAt}`,
    )
    return indexOf(registry, await cached.reading())
  }
}

/** One on this machine tells without being asked. */
function hasMoved(url: string, fetchedAt = ''): boolean {
  const movedAt = lastMove(url)
  return movedAt !== undefined && movedAt > Date.parse(fetchedAt) - A_MOMENT_MS
}

/** The clock of a file system goes in steps. */
const A_MOMENT_MS = 20

/** Nothing in it can be read. A registry that lists nothing has nothing wrong either. */
function isBroken({ entries, problems }: Reading): boolean {
  return entries.search.documents === 0 && problems.length > 0
}

function indexOf(registry: Registry, { entries, problems }: Reading, isCopy = false): RegistryIndex {
  const shown = problems.map(({ line, message }) => `${registry.name}/registry.yaml:${line}: ${message}`)
  return { registry, entries, problems: shown, isCopy }
}
