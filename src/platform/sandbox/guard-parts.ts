import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { SandboxPath, SandboxProfile } from '../../model/index.ts'
import { isPartOf } from './enforceable.ts'
import type { SeenPath } from './look.ts'
import { SandboxRefusal } from './refusal.ts'
import { covering } from './within.ts'

/**
 * A protected part of a folder that can be written is covered by a mount. That takes something to mount on, and
 * something that stays where it is. So each folder on the way to a part is mounted too, which nobody can move away;
 * and where a part is not there, or is a link that could be exchanged, the folder around it is closed: what is in it
 * can be changed as before, but nothing new can be made directly in it.
 */
export function guardParts(profile: SandboxProfile, seen: readonly SeenPath[]): readonly SeenPath[] {
  const { anchors, closed } = waysToParts(profile, seen)
  if (anchors.size === 0 && closed.size === 0) return seen
  const paths = new Map(seen.map((entry) => [entry.path, entry]))
  for (const path of anchors) {
    if (!paths.has(path)) paths.set(path, { path, access: 'write', kind: 'folder' })
  }
  for (const path of closed) {
    for (const child of childrenOf(path)) {
      if (!paths.has(child.path)) paths.set(child.path, child)
    }
    paths.set(path, { path, kind: 'folder', ...paths.get(path), access: 'read' })
  }
  if (paths.size > MOST_PATHS) {
    throw new SandboxRefusal('what it may see has too many parts; name the folders it needs')
  }
  return [...paths.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** bwrap takes no more than 9,000 words. */
const MOST_PATHS = 2_000

interface Ways {
  readonly anchors: ReadonlySet<string>
  /** Folders in which nothing new may be made. */
  readonly closed: ReadonlySet<string>
}

function waysToParts({ paths }: SandboxProfile, seen: readonly SeenPath[]): Ways {
  const anchors = new Set<string>()
  const closed = new Set<string>()
  for (const part of paths) {
    const outer = outerOf(part, paths, seen)
    if (outer === undefined) continue
    let folder = outer.real
    const names = relative(outer.path, part.path).split(sep)
    for (const [index, name] of names.entries()) {
      const path = join(folder, name)
      const kind = kindOf(path)
      const isLast = index === names.length - 1
      if (kind === undefined || (!isLast && kind !== 'folder')) {
        closed.add(folder)
        break
      }
      if (!isLast) anchors.add(path)
      folder = path
    }
  }
  return { anchors, closed }
}

/** The folder that could be written if the part did not take it back, by its name and as it lies on the disk. */
function outerOf(part: SandboxPath, paths: readonly SandboxPath[], seen: readonly SeenPath[]) {
  const outer = covering(
    paths.filter((other) => other !== part),
    part.path,
  )
  if (outer?.access !== 'write' || !isPartOf(part, outer)) return undefined
  const found = seen.find(({ path, alias }) => path === outer.path || alias === outer.path)
  return found && { path: outer.path, real: found.path }
}

/** Undefined also for a link, which whoever may write there can replace. */
function kindOf(path: string): 'file' | 'folder' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isSymbolicLink()) return undefined
  return stats.isDirectory() ? 'folder' : 'file'
}

/** Of the kernel; every sandbox has its own. */
const NEVER = ['/proc', '/dev']

function childrenOf(folder: string): readonly SeenPath[] {
  return entriesOf(folder).flatMap((child): readonly SeenPath[] => {
    const path = join(folder, child.name)
    if (child.isSymbolicLink() || NEVER.includes(path)) return []
    return [{ path, access: 'write', kind: child.isDirectory() ? 'folder' : 'file', mayBeGone: true }]
  })
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
