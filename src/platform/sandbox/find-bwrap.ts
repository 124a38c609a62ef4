import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FoundBwrap {
  readonly path: string
  readonly mtimeMs: number
}

/** Never from the PATH: whoever could put a program of that name there would be the sandbox. */
const FOLDERS = ['/usr/bin', '/usr/local/bin', '/bin', '/run/current-system/sw/bin']

export function findBwrap(folders: readonly string[] = FOLDERS): FoundBwrap | undefined {
  for (const folder of folders) {
    try {
      const path = realpathSync(join(folder, 'bwrap'))
      const stats = statSync(path)
      const isOurs = [stats, lstatSync(dirname(path)), lstatSync(realpathSync(folder))].every(isOfTheSystem)
      if (stats.isFile() && isOurs) return { path, mtimeMs: stats.mtimeMs }
    } catch {
      // Not here.
    }
  }
  return undefined
}

function isOfTheSystem({ uid, mode }: Stats): boolean {
  return uid === 0 && (mode & 0o022) === 0
}
