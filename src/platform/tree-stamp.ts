import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { isSettled } from './settled.ts'

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
  return settled({ paths, folders: folders.length, stats })
}

/** The same of one more file in it. Undefined also when that is not there. */
export function addToStamp(folder: string, stamp: TreeStamp, path: string): TreeStamp | undefined {
  const file = statsOf(`${folder}/${path}`)
  return (
    file && settled({ ...stamp, paths: [...stamp.paths, path], stats: [...stamp.stats, ...fieldsOf(file)] })
  )
}

/** The same of one file as a word, '' where there is nothing. Undefined also where a link leads elsewhere. */
export function markFile(file: string): string | undefined {
  const stats = statsOf(file)
  if (stats === undefined) return ''
  return stats.isFile()
    ? settled({ paths: [''], folders: 0, stats: fieldsOf(stats) })?.stats.join(' ')
    : undefined
}

function settled(stamp: TreeStamp): TreeStamp | undefined {
  const now = Date.now()
  const isYoung = stamp.paths.some(
    (_, index) => !isSettled(stamp.stats[index * FIELDS + CHANGED_AT] ?? 0, now),
  )
  return isYoung ? undefined : stamp
}

const CHANGED_AT = 4

/** Those about which the system says something else now: of all paths, or of the ones at these places. */
export function changedPaths(folder: string, stamp: TreeStamp, places?: readonly number[]): string[] {
  const changed: string[] = []
  const count = places?.length ?? stamp.paths.length
  for (let step = 0; step < count; step++) {
    const index = places?.[step] ?? step
    const path = stamp.paths[index] ?? ''
    const now = statsOf(path === '' ? folder : `${folder}/${path}`)
    if (now === undefined || !isSame(now, stamp.stats, index * FIELDS)) changed.push(path)
  }
  return changed
}

/**
 * Whether all that changed is that files which are skipped came or went: the folders are the same ones, with the same
 * other names in them.
 */
export function hasSameNames(
  folder: string,
  stamp: TreeStamp,
  changed: readonly string[],
  isSkipped: (path: string) => boolean,
): boolean {
  return changed.every((path) => {
    const index = stamp.paths.indexOf(path)
    const now = statsOf(join(folder, path))
    if (index >= stamp.folders || !now?.isDirectory() || now.ino !== stamp.stats[index * FIELDS]) return false
    const inside = (name: string) => (path === '' ? name : `${path}/${name}`)
    const names = readdirSync(join(folder, path)).map(inside)
    const known = stamp.paths.filter((one) => one !== '' && parentOf(one) === path)
    return sameSet(
      names.filter((name) => !isSkipped(name)),
      known,
    )
  })
}

/** A new stamp of the same files: of the folders the system may say something else. The old one when it is too early. */
export function refreshStamp(
  folder: string,
  stamp: TreeStamp,
  isSkipped: (path: string) => boolean,
): TreeStamp {
  const next = stampTree(folder, isSkipped)
  const start = stamp.folders * FIELDS
  const isSameTree =
    next?.folders === stamp.folders &&
    next.paths.length === stamp.paths.length &&
    next.paths.every((path, index) => path === stamp.paths[index]) &&
    next.stats.every((field, index) => index < start || field === stamp.stats[index])
  return next !== undefined && isSameTree ? next : stamp
}

/** Of what is gone, or where someone may no longer look, nothing. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const all = new Set(a)
  return all.size === b.length && b.every((one) => all.has(one))
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
