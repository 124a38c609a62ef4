import { copyFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { listFolder, makeFolder } from './files.ts'
import { hashFile } from './tree.ts'

/** Downloads that are known by their SHA-256, so that the same one is not fetched twice. */
export interface ArchiveCache {
  /** Copies it to a new file; false when it is not there. */
  take(sha256: string, file: string): boolean
  /** Keeps a copy. What cannot be kept is fetched again next time. */
  keep(sha256: string, file: string): void
}

const MOST_BYTES = 512 * 1_048_576

export function openArchiveCache(folder: string): ArchiveCache {
  const placeOf = (sha256: string) => join(folder, sha256)
  return {
    take(sha256, file) {
      const kept = placeOf(sha256)
      try {
        copyFileSync(kept, file)
        // Nobody promised that the folder was left alone.
        if (hashFile(file).sha256 !== sha256) throw new Error('it is not what it was')
        utimesSync(kept, new Date(), new Date())
        return true
      } catch {
        for (const broken of [file, kept]) rmSync(broken, { force: true })
        return false
      }
    },
    keep(sha256, file) {
      const temporary = `${placeOf(sha256)}.${process.pid}.tmp`
      try {
        makeFolder(folder)
        copyFileSync(file, temporary)
        renameSync(temporary, placeOf(sha256))
        forgetOldest(folder)
      } catch {
        rmSync(temporary, { force: true })
      }
    },
  }
}

/** Those that were used least recently go first. */
function forgetOldest(folder: string): void {
  const files = listFolder(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => {
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ path, size: stats.size, usedMs: stats.mtimeMs }]
    })
    .sort((a, b) => b.usedMs - a.usedMs)
  let bytes = 0
  for (const { path, size } of files) {
    bytes += size
    if (bytes > MOST_BYTES) rmSync(path, { force: true })
  }
}
