import { oneLine } from '../model/index.ts'

/** Admits the paths of one tree and remembers them. */
export interface PathGuard {
  /** Why this path cannot be part of the tree; undefined when it is admitted. */
  admit(path: string, kind: 'file' | 'folder'): string | undefined
}

/**
 * For trees from strangers: every path stays inside, means the same on every disk (also on those that do not
 * tell upper from lower case) and can be printed. Relative, with forward slashes.
 */
export function createPathGuard(): PathGuard {
  const known = new Map<string, { readonly path: string; kind: 'file' | 'folder' }>()

  function place(path: string, kind: 'file' | 'folder', isParent: boolean): string | undefined {
    const key = fold(path)
    const before = known.get(key)
    if (before === undefined) {
      known.set(key, { path, kind })
      return undefined
    }
    if (before.path !== path) return `differs from ${JSON.stringify(before.path)} only in case or accents`
    if (before.kind !== kind) return 'is both a file and a folder'
    return kind === 'file' && !isParent ? 'is there twice' : undefined
  }

  return {
    admit(path, kind) {
      const problem = pathProblem(path)
      if (problem !== undefined) return problem
      for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
        const parent = place(path.slice(0, end), 'folder', true)
        if (parent !== undefined) return parent
      }
      return place(path, kind, false)
    },
  }
}

const LONGEST_PATH = 1024
const LONGEST_NAME = 255

/** What is wrong with one path by itself. */
function pathProblem(path: string): string | undefined {
  if (path === '') return 'has no name'
  if (path.includes('\ufffd') || !path.isWellFormed()) return 'has a name that is not UTF-8'
  if (oneLine(path) !== path) return 'has control characters in its name'
  if (path.includes('\\')) return 'has a backslash in its name'
  if (path.startsWith('/')) return 'is an absolute path'
  if (/^[A-Za-z]:/.test(path)) return 'begins with a drive letter'
  if (Buffer.byteLength(path) > LONGEST_PATH) return `has a path longer than ${LONGEST_PATH} bytes`
  for (const name of path.split('/')) {
    if (name === '') return 'has an empty part in its path'
    if (name === '.') return "has a part '.' in its path"
    if (name === '..') return 'leaves its folder'
    if (isGitFolder(name)) return "has a part '.git' in its path"
    if (Buffer.byteLength(name) > LONGEST_NAME) return `has a name longer than ${LONGEST_NAME} bytes`
  }
  return undefined
}

/** Also in the spellings that Windows and macOS take for it. */
function isGitFolder(name: string): boolean {
  return /^(\.git|git~\d+)[. ]*(:.*)?$/i.test(name)
}

/** Equal for names that some disk takes for the same. */
function fold(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC')
}
