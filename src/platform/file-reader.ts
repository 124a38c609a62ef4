import { closeSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type HeadEnd, READ, readHead } from './head.ts'

/** A file that was read, and what tells whether it has changed since. */
export interface ScannedFile {
  readonly path: string
  /** Its path below the root. */
  readonly relative: string
  readonly mode: number
  readonly mtimeMs: number
  readonly ctimeMs: number
  readonly size: number
  readonly ino: number
  /** The beginning of an executable, all of a sidecar. */
  readonly head: string
}

/** What was read, and when the reading began. */
export interface KnownFiles {
  readonly files: ReadonlyMap<string, ScannedFile>
  readonly sinceMs: number
}

export interface FoundFile {
  readonly path: string
  readonly relative: string
  readonly stats: Stats
  /** Where it is open already. */
  readonly fd: number | undefined
}

export interface FileReader {
  readonly known: KnownFiles
  /** Throws when the file cannot be read. `whole` reads all of it. */
  read(found: FoundFile, headEnd: HeadEnd | 'whole'): ScannedFile
}

// A file changed this shortly before it was read may change again within one tick of its clock.
const TICK_MS = 50

/** Reads files, except those that have not changed since they were read before. */
export function createFileReader(before: KnownFiles | undefined): FileReader {
  const files = new Map<string, ScannedFile>()
  const known = { files, sinceMs: Date.now() }
  return {
    known,
    read(found, headEnd) {
      const { path, relative, stats, fd } = found
      const old = before?.files.get(path)
      const same = old && isSame(old, stats) ? old : undefined
      if (before && same && isSettled(same, before)) {
        files.set(path, same)
        return same
      }
      const head = headEnd === 'whole' ? readWhole(path) : readHead(path, headEnd, fd)
      const { mode, mtimeMs, ctimeMs, size, ino } = stats
      // An unchanged file stays the same object: what was made of it can be kept.
      const file = same?.head === head ? same : { path, relative, mode, mtimeMs, ctimeMs, size, ino, head }
      files.set(path, file)
      return file
    },
  }
}

function readWhole(path: string): string {
  const fd = openSync(path, READ)
  try {
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function isSame(file: ScannedFile, now: Stats): boolean {
  return (
    file.mtimeMs === now.mtimeMs &&
    file.ctimeMs === now.ctimeMs &&
    file.size === now.size &&
    file.mode === now.mode &&
    file.ino === now.ino
  )
}

function isSettled(file: ScannedFile, known: KnownFiles): boolean {
  return Math.max(file.mtimeMs, file.ctimeMs) < known.sinceMs - TICK_MS
}
