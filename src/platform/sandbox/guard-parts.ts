import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { SandboxPath, SandboxProfile } from '../../model/index.ts'
import type { Draft } from './draft.ts'
import { isPartOf } from './enforceable.ts'
import type { SeenPath } from './look.ts'
import { SandboxRefusal } from './refusal.ts'
import { covering, isWithin } from './within.ts'

/** Makes the folder that stands for the top of the project; undefined where none can be made. */
export type MakeDraft = (top: string, isProtected: (name: string) => boolean) => Draft | undefined

/**
 * A protected part of a folder that can be written is covered by a mount. That takes something to mount on, which stays
 * what it is: whoever exchanges the file outside takes the mount away as well. So the folder around a part is closed:
 * what is in it can be changed as before, but nothing new can be made directly in it. At the top of the project, where
 * tools make files, a draft stands for the folder instead. And each folder on the way to a part is mounted too, which
 * nobody can move away.
 */
export function guardParts(
  profile: SandboxProfile,
  seen: readonly SeenPath[],
  makeDraft: MakeDraft = () => undefined,
): readonly SeenPath[] {
  const { anchors, closed } = waysToParts(profile, seen)
  const paths = new Map(seen.map((entry) => [entry.path, entry]))
  for (const path of anchors) {
    if (!paths.has(path)) paths.set(path, { path, access: 'write', kind: 'folder' })
  }
  const { workspace } = profile
  const isProtected = protectedNames(profile)
  // Nothing can stand for the whole disk.
  const isTop = closed.has(workspace) && workspace !== sep
  const draft = isTop ? makeDraft(workspace, isProtected) : undefined
  for (const path of closed) {
    const isDraft = draft !== undefined && path === workspace
    const children = isDraft ? layOut(draft, workspace, paths, isProtected) : childrenOf(path)
    for (const child of children) if (!paths.has(child.path)) paths.set(child.path, child)
    const own = isDraft ? { access: 'write' as const, source: draft.folder } : { access: 'read' as const }
    paths.set(path, { path, kind: 'folder', ...paths.get(path), ...own })
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
    for (const name of relative(outer.path, dirname(part.path)).split(sep)) {
      const path = join(folder, name)
      if (name !== '' && !isRealFolder(path)) break
      if (name !== '') anchors.add(path)
      folder = path
    }
    closed.add(folder)
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

/** Not a link, which whoever may write there can exchange. */
function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** The first name on the way from the top to each part, however it is spelled. */
function protectedNames({ paths, workspace }: SandboxProfile): (name: string) => boolean {
  const parts = paths.filter(
    ({ path, access }) => access !== 'write' && path !== workspace && isWithin(path, workspace),
  )
  const names = new Set(parts.map(({ path }) => relative(workspace, path).split(sep)[0]?.toLowerCase()))
  return (name) => names.has(name.toLowerCase())
}

/** Everything at the top gets its place in the draft. What is to be mounted there is given back. */
function layOut(
  draft: Draft,
  top: string,
  known: ReadonlyMap<string, SeenPath>,
  isProtected: (name: string) => boolean,
): readonly SeenPath[] {
  return entriesOf(top).flatMap((child): readonly SeenPath[] => {
    const { name } = child
    const path = join(top, name)
    const seen = known.get(path)
    // A protected file that nobody looked at was made in this moment: it is not shown. A link leads where it always did.
    if (seen === undefined && isProtected(name) && !child.isSymbolicLink()) return []
    const kind = seen?.kind ?? (child.isDirectory() ? 'folder' : 'file')
    const isLinked = seen === undefined && kind === 'file' && draft.link(name)
    if (isLinked || (seen === undefined && kind === 'file' && !child.isFile())) return []
    draft.place(name, kind)
    return [{ path, access: 'write', kind, mayBeGone: true }]
  })
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
