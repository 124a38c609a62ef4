import { chooseTag, compareVersions } from '../formats/index.ts'
import type { LockEntry } from '../model/index.ts'
import type { GitCache } from '../platform/index.ts'

export interface Outdated {
  readonly name: string
  readonly current: string
  readonly latest: string
  readonly url: string
}

/** Of each package from git, the newest locked version against the newest tag. Those that cannot be asked are told. */
export async function findOutdated(
  entries: readonly LockEntry[],
  git: GitCache,
  tokenFor: (entry: LockEntry) => string | undefined,
  warn: (message: string) => void,
  signal?: AbortSignal,
): Promise<Outdated[]> {
  const newest = new Map<string, LockEntry>()
  for (const entry of entries) {
    const other = newest.get(entry.name)
    if (other === undefined || compareVersions(entry.version, other.version) > 0)
      newest.set(entry.name, entry)
  }
  const found = await Promise.all([...newest.values()].map((entry) => look(entry)))
  return found.flatMap((one) => one ?? [])

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
      warn(`${entry.name}: ${(error as Error).message}`)
      return undefined
    }
  }
}
