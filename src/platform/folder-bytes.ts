import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { listFolder } from './files.ts'

/** Bytes of every file below a folder; none when it is not there. */
export function folderBytes(folder: string): number {
  return listFolder(folder).reduce((sum, name) => {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    return sum + (stats?.isDirectory() ? folderBytes(path) : (stats?.size ?? 0))
  }, 0)
}
