import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { isFolder } from './path-kind.ts'

/**
 * Makes a folder and those above it that are missing, and tells the first it made. Node's own way never ends where the
 * system says of a folder in one that is there that there is none, as below /proc.
 */
export function makePath(folder: string, mode?: number): string | undefined {
  if (isFolder(folder)) return undefined
  for (let tries = 1; ; tries++) {
    const above = dirname(folder)
    const first = above === folder ? undefined : makePath(above, mode)
    try {
      mkdirSync(folder, mode)
      return first ?? folder
    } catch (error) {
      if (isFolder(folder)) return first
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // Someone may remove the one above meanwhile, but not again and again.
      if (tries === TRIES) throw noFolders(error)
    }
  }
}

const TRIES = 20

function noFolders(cause: unknown): NodeJS.ErrnoException {
  const error = new Error('no folders can be made there', { cause })
  return Object.assign(error, { code: 'ENOFOLDERS', syscall: 'mkdir' })
}
