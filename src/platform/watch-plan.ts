import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** What matters in one folder: all of its entries, or only some. */
export interface Interest {
  all: boolean
  readonly names: Set<string>
  readonly stats: Stats
}

/** Which folders to watch, and for what, so that every wanted path is noticed when it comes, changes or goes. */
export function planWatches(directories: readonly string[], files: readonly string[]): Map<string, Interest> {
  const interests = new Map<string, Interest>()
  const wanted = new Set(directories)
  for (const directory of wanted) {
    const interest = interestIn(directory)
    if (interest) interest.all = true
    if (!interest || !wanted.has(dirname(directory))) expect(directory)
  }
  for (const file of files) {
    expect(file)
    const target = realPathOf(file)
    if (target !== undefined && target !== file) expect(target)
  }
  return interests

  /** Waits for a path in the nearest folder above it that is there. */
  function expect(path: string): void {
    for (let name = path, folder = dirname(path); name !== folder; name = folder, folder = dirname(folder)) {
      const interest = interestIn(folder)
      if (!interest) continue
      interest.names.add(basename(name))
      return
    }
  }

  function interestIn(folder: string): Interest | undefined {
    const known = interests.get(folder)
    if (known) return known
    const stats = folderStats(folder)
    if (!stats) return undefined
    const interest = { all: false, names: new Set<string>(), stats }
    interests.set(folder, interest)
    return interest
  }
}

function folderStats(path: string): Stats | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isDirectory() ? stats : undefined
  } catch {
    return undefined
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
