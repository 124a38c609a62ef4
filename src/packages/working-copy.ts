import { join } from 'node:path'
import { isFolder, lookAtProgram } from '../platform/index.ts'

/**
 * What the folder of whoever develops a package carries beside it: the history of its files, and an environment of
 * Python, which works on this machine and in this place only.
 */
export function besidePackage(folder: string): (path: string) => boolean {
  return (path) => isHistory(path) || isPythonEnvironment(join(folder, path))
}

export function isHistory(path: string): boolean {
  return path === '.git' || path.endsWith('/.git')
}

function isPythonEnvironment(place: string): boolean {
  if (!/[/\\]\.?v?env$/.test(place) || !isFolder(place)) return false
  return lookAtProgram(join(place, 'pyvenv.cfg')).kind === 'file'
}
