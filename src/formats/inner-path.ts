import { escapeControls } from '../model/index.ts'
import type { Flaw } from './shape.ts'

/** Why a text cannot be the path of something inside its package; undefined when it can. */
export function checkInnerPath(path: string): Flaw | undefined {
  if (path.trim() === '') return { message: 'must be a path inside the package, but is empty' }
  if (path.includes('\0') || escapeControls(path) !== path || path.includes('\n')) {
    return { message: 'must be a path inside the package, but has control characters in it' }
  }
  if (path.includes('\\')) {
    return { message: 'must be written with forward slashes', hint: `write ${path.replaceAll('\\', '/')}` }
  }
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.startsWith('~')) {
    return {
      message: 'must be a path inside the package, not an absolute one',
      hint: 'for example bin/tool',
    }
  }
  if (path.split('/').includes('..')) return { message: 'must not leave the package with ..' }
  return undefined
}

/** The same path in its shortest spelling: `./bin//tool` is `bin/tool`; the package itself is `.`. */
export function normalInnerPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return parts.join('/') || '.'
}

/** Each of them once, in one spelling; what could not be read is left out. */
export function innerPaths(paths: readonly (string | undefined)[] = []): string[] {
  return [...new Set(paths.flatMap((path) => (path === undefined ? [] : [normalInnerPath(path)])))]
}
