import {
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { Problem } from '../model/index.ts'
import { isIgnored } from './ignored.ts'
import { type FileNumbers, lookAtMany } from './look-at-many.ts'
import { createOrderedLookup } from './ordered-lookup.ts'
import { comparePaths } from './path-order.ts'
import { createVisits, type Folder, folderAt, isInItself } from './searched-folder.ts'
import { createSeenFiles } from './seen-file.ts'
import { STAGING_PREFIX } from './staging.ts'

/** A file that was looked at, not into, and what tells whether it has changed since. */
export interface ScannedFile {
  readonly path: string
  /** Its path below the root. */
  readonly relative: string
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  readonly ino: number
}

/** A folder that holds a manifest. Nothing inside it was looked at. */
export interface ScannedPackage {
  readonly path: string
  readonly isLink: boolean
  /** What lies in it, at its top. */
  readonly names: readonly string[]
}

export interface Scan {
  readonly root: string
  /** There is no such folder (yet). */
  readonly missing: boolean
  /** Executables, by the code points of their relative path. */
  readonly files: readonly ScannedFile[]
  /** Files that are named like scripts but not executable, in the same order. */
  readonly scripts: readonly ScannedFile[]
  /** Every `NAME.tool.yaml`, by path. */
  readonly sidecars: ReadonlyMap<string, ScannedFile>
  readonly packages: readonly ScannedPackage[]
  /** Folders whose entries decided the result. */
  readonly directories: readonly string[]
  /** The files that links lead to. */
  readonly linked: readonly string[]
  readonly problems: readonly Problem[]
  /** An install was, or is, under way here. */
  readonly hasStaging: boolean
  /** All of these files in the order in which they were come upon. */
  readonly seen: readonly ScannedFile[]
}

export interface ScanOptions {
  readonly previous?: Scan | undefined
  /** Files of other names are not even looked at. */
  readonly isWanted?: (name: string) => boolean
}

const MAX_DEPTH = 32
const MAX_SIDECAR = 1_048_576
const SIDECAR = '.tool.yaml'
const MANIFESTS = new Set(['tool.yaml', 'orla-tool.json', 'manifest.json'])
const SCRIPT = /\.(?:sh|bash|py|js|mjs|ts|rb|pl)$/

/**
 * Finds the executables below a folder. Synchronous: promises take ten times as long. Opens no file, and
 * one bad entry never hides another. A file that is as it was in the scan before stays the same object.
 */
export function scanFolder(root: string, { previous, isWanted }: ScanOptions = {}): Scan {
  const before = previous?.root === root ? previous.seen : []
  const indexBefore = createOrderedLookup(before.length, (index) => before[index]?.relative)
  const seenFile = createSeenFiles(root, before.length > 0)
  const seen: ScannedFile[] = []
  const files: ScannedFile[] = []
  const scripts: ScannedFile[] = []
  const sidecars = new Map<string, ScannedFile>()
  const packages: ScannedPackage[] = []
  const directories: string[] = [root]
  const linked: string[] = []
  const problems: Problem[] = []
  const isNew = createVisits()
  let hasStaging = false
  const folders: Folder[] = []
  // These come last, so that a folder is known by its own path where it has one.
  const linkedFolders: Folder[] = []

  const rootStats = statOf(root)
  if (rootStats instanceof Error) report(root, `cannot be read (${codeOf(rootStats)})`, PERMISSIONS)
  else if (rootStats && !rootStats.isDirectory()) report(root, 'is not a folder')
  else if (rootStats) folders.push(folderAt(root, '', false))
  for (;;) {
    const folder = folders.pop() ?? linkedFolders.shift()
    if (folder === undefined) break
    scanEntries(folder)
  }
  return {
    root,
    missing: rootStats === null,
    files: files.sort(byPath),
    scripts: scripts.sort(byPath),
    sidecars,
    packages: packages.sort((a, b) => comparePaths(a.path, b.path)),
    directories,
    linked,
    problems,
    hasStaging,
    seen,
  }

  function scanEntries(folder: Folder): void {
    const { path, prefix } = folder
    if (isInItself(folder)) {
      report(path, 'is a link to a folder that contains it', LINK)
      return
    }
    if (!isNew(folder)) return
    if (folder.depth > MAX_DEPTH) {
      report(path, `lies deeper than ${MAX_DEPTH} folders: not searched`)
      return
    }
    if (prefix !== '') directories.push(path)
    const entries = listEntries(path)
    if (prefix !== '' && entries.some((entry) => MANIFESTS.has(entry.name) && !entry.isDirectory())) {
      packages.push({ path, isLink: folder.isLink, names: entries.map(({ name }) => name) })
      return
    }
    const looked = lookAtMany(path, entries, isPlainFile)
    for (const [at, entry] of entries.entries()) {
      if (looked?.isFile(at)) scanFile(`${path}/${entry.name}`, prefix + entry.name, looked)
      else if (!isIgnored(entry.name)) scanEntry(`${path}/${entry.name}`, entry, folder)
      else if (entry.name.startsWith(STAGING_PREFIX)) hasStaging = true
    }
  }

  /** Nothing but a look is needed to tell what it is. */
  function isPlainFile({ name }: Dirent): boolean {
    return !isIgnored(name) && (isWanted === undefined || isWanted(name))
  }

  function listEntries(folder: string): readonly Dirent[] {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      // Gone since it was listed: nothing to report.
      if (codeOf(error) !== 'ENOENT') report(folder, `cannot be read (${codeOf(error)})`, PERMISSIONS)
      return []
    }
  }

  function scanEntry(path: string, entry: Dirent, parent: Folder): void {
    const { name } = entry
    // A folder says more when it is listed, unless its name is not what the system calls it.
    if (entry.isDirectory() && !name.includes('\ufffd')) {
      folders.push(folderAt(path, `${parent.prefix}${name}/`, false, parent))
      return
    }
    if (entry.isFile() && isWanted !== undefined && !isWanted(name)) return
    const own = lstatOf(path)
    const isLink = own !== null && !(own instanceof Error) && own.isSymbolicLink()
    const stats = isLink ? statOf(path) : own
    if (stats === null || stats instanceof Error) reportUnreachable(path, name, isLink, stats)
    else if (stats.isFile()) {
      if (isWanted !== undefined && !isWanted(name)) return
      if (isLink) linked.push(targetPath(path))
      scanFile(path, parent.prefix + name, stats)
    } else if (stats.isDirectory()) {
      const list = isLink ? linkedFolders : folders
      list.push(folderAt(path, `${parent.prefix}${name}/`, isLink, parent))
    } else if ((stats.mode & 0o111) !== 0) {
      report(path, `is executable, but a ${kindOf(stats)} and not a file`, 'move it out of the tools folder')
    }
  }

  function scanFile(path: string, relative: string, stats: FileNumbers): void {
    if (relative.endsWith(SIDECAR)) {
      if (stats.size > MAX_SIDECAR) report(path, 'is larger than 1 MiB')
      else sidecars.set(path, look(relative, stats))
    } else if ((stats.mode & 0o111) !== 0) files.push(look(relative, stats))
    else if (SCRIPT.test(relative)) scripts.push(look(relative, stats))
  }

  function look(relative: string, stats: FileNumbers): ScannedFile {
    const old = before.length === 0 ? undefined : before[indexBefore(relative)]
    const file = old !== undefined && isSame(old, stats) ? old : seenFile(relative, stats)
    seen.push(file)
    return file
  }

  function reportUnreachable(path: string, name: string, isLink: boolean, error: Error | null): void {
    if (isLink) {
      const target = error && codeOf(error) === 'ELOOP' ? 'itself' : `${targetOf(path)}, which is not there`
      report(path, `is a link to ${target}`, LINK)
    } else if (error) report(path, `cannot be read (${codeOf(error)})`, PERMISSIONS)
    else if (name.includes('\ufffd')) report(path, 'has a name that is not UTF-8', 'rename it')
    // Everything else was deleted since it was listed.
  }

  function report(file: string, message: string, hint?: string): void {
    problems.push(hint === undefined ? { file, message } : { file, message, hint })
  }
}

const PERMISSIONS = 'check its permissions'
const LINK = 'remove or repair the link'

function byPath(a: ScannedFile, b: ScannedFile): number {
  return comparePaths(a.relative, b.relative)
}

function isSame(file: ScannedFile, now: FileNumbers): boolean {
  return (
    file.mtimeMs === now.mtimeMs &&
    file.ctimeMs === now.ctimeMs &&
    file.size === now.size &&
    file.mode === now.mode &&
    file.ino === now.ino
  )
}

/** Null when there is nothing at that path. */
function statOf(path: string): Stats | Error | null {
  try {
    return statSync(path, QUIETLY) ?? null
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

/** The same of a link itself. */
function lstatOf(path: string): Stats | Error | null {
  try {
    return lstatSync(path, QUIETLY) ?? null
  } catch (error) {
    if (error instanceof Error) return error
    throw error
  }
}

const QUIETLY = { throwIfNoEntry: false } as const

/** Where a link leads in the end; the link itself should it be gone by now. */
function targetPath(link: string): string {
  try {
    return realpathSync(link)
  } catch {
    return link
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch (error) {
    return `something (${codeOf(error)})`
  }
}

/** What the system said. Anything else is a bug and goes on being thrown. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  throw error
}

function kindOf(stats: Stats): string {
  if (stats.isSocket()) return 'socket'
  return stats.isFIFO() ? 'named pipe' : 'device'
}
