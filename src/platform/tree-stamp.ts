import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'

/**
 * What the system says of everything below a folder. As long as it says the same, nobody has changed a byte: the
 * time of change cannot be set, and a new or renamed file changes its folder.
 */
export interface TreeStamp {
  /** Folders first, '' is the root; then files. */
  readonly paths: readonly string[]
  /** How many of them are folders. */
  readonly folders: number
  /** FIELDS numbers for each path. */
  readonly stats: readonly number[]
}

const FIELDS = 5

/** Undefined when something changed so lately that a change to come could bear the same time. */
export function stampTree(folder: string, isSkipped: (path: string) => boolean): TreeStamp | undefined {
  const folders = ['']
  const files: string[] = []
  for (const path of folders) {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (entry.isDirectory()) folders.push(inner)
      else if (!isSkipped(inner)) files.push(inner)
    }
  }
  const paths = [...folders, ...files]
  const stats = paths.flatMap((path) => fieldsOf(lstatSync(join(folder, path))))
  const settled = Date.now() - SETTLED_MS
  const isYoung = paths.some((_, index) => (stats[index * FIELDS + CHANGED_AT] ?? 0) > settled)
  return isYoung ? undefined : { paths, folders: folders.length, stats }
}

/** Coarse clocks of file systems count in up to two seconds. */
const SETTLED_MS = 2_000
const CHANGED_AT = 4

/** Of the first `count` paths, those about which the system says something else now. */
export function changedPaths(folder: string, stamp: TreeStamp, count = stamp.paths.length): string[] {
  const changed: string[] = []
  for (let index = 0; index < count && index < stamp.paths.length; index++) {
    const path = stamp.paths[index] ?? ''
    const now = lstatSync(path === '' ? folder : `${folder}/${path}`, { throwIfNoEntry: false })
    if (now === undefined || !isSame(now, stamp.stats, index * FIELDS)) changed.push(path)
  }
  return changed
}

function isSame(now: Stats, stats: readonly number[], at: number): boolean {
  return (
    stats[at] === now.ino &&
    stats[at + 1] === now.size &&
    stats[at + 2] === now.mode &&
    stats[at + 3] === now.mtimeMs &&
    stats[at + 4] === now.ctimeMs
  )
}

function fieldsOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): number[] {
  return [ino, size, mode, mtimeMs, ctimeMs]
}

/** A stamp from a text that someone wrote; undefined when it is none. */
export function readStamp(value: unknown): TreeStamp | undefined {
  const { paths, folders, stats } = (value ?? {}) as { [K in keyof TreeStamp]?: unknown } // checked below
  const isStamp =
    Array.isArray(paths) &&
    paths.every((path) => typeof path === 'string') &&
    Array.isArray(stats) &&
    stats.every((field) => typeof field === 'number') &&
    stats.length === paths.length * FIELDS &&
    typeof folders === 'number'
  return isStamp ? { paths, folders, stats } : undefined
}
