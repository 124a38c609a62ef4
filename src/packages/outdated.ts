import { chooseTag, compareVersions } from '../formats/index.ts'
import type { LockEntry } from '../model/index.ts'
import type { GitCache } from '../platform/index.ts'
import { inParallel } from './in-parallel.ts'

export interface Outdated {
  readonly name: string
  readonly current: string
  readonly latest: string
  readonly url: string
}

/** A package whose repository did not answer: nobody knows whether there is a newer one. */
export interface Unasked {
  readonly name: string
  readonly reason: string
}

export interface Outlook {
  readonly outdated: readonly Outdated[]
  readonly unasked: readonly Unasked[]
}

/** They wait for repositories, mostly; but each of them is a process. */
const AT_ONCE = 8

/** Of each package from git, the newest locked version against the newest tag. */
export async function findOutdated(
  entries: readonly LockEntry[],
  git: Pick<GitCache, 'listTags'>,
  tokenFor: (entry: LockEntry) => string | undefined,
  signal?: AbortSignal,
): Promise<Outlook> {
  const newest = new Map<string, LockEntry>()
  for (const entry of entries) {
    const other = newest.get(entry.name)
    if (other === undefined || compareVersions(entry.version, other.version) > 0)
      newest.set(entry.name, entry)
  }
  const unasked: Unasked[] = []
  const found = await inParallel([...newest.values()], look, AT_ONCE)
  return { outdated: found.flatMap((one) => one ?? []), unasked }

  async function look(entry: LockEntry): Promise<Outdated | undefined> {
    if (entry.pin.kind !== 'git') return undefined
    const { url } = entry.pin
    try {
      const token = tokenFor(entry)
      const tags = await git.listTags(url, {
        ...(token === undefined ? {} : { token }),
        ...(signal === undefined ? {} : { signal }),
      })
      const latest = chooseTag(tags.map(({ tag }) => tag))?.slice(1)
      if (latest === undefined || compareVersions(latest, entry.version) <= 0) return undefined
      return { name: entry.name, current: entry.version, latest, url }
    } catch (error) {
      unasked.push({ name: entry.name, reason: (error as Error).message })
      return undefined
    }
  }
}
