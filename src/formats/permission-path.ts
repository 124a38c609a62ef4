import { escapeControls, type PermissionPath } from '../model/index.ts'
import type { Flaw } from './shape.ts'

const FORMS = './x for the project, ~/x, /x, $STATE, or arg:NAME for the file that an argument names'
const ARGUMENT = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/

const BASES = [
  ['.', 'workspace'],
  ['~', 'home'],
  ['$STATE', 'state'],
] as const

export function parsePermissionPath(text: string): PermissionPath | { readonly problem: Flaw } {
  if (text === '') return wrong('has an empty path')
  if (escapeControls(text) !== text || /[\n\t]/.test(text)) return wrong('has control characters in its path')
  if (text.startsWith('arg:')) {
    const name = text.slice('arg:'.length)
    return ARGUMENT.test(name) ? { base: 'argument', name } : wrong('does not name an argument behind arg:')
  }
  if (text.includes('\\')) return wrong('has a path with backslashes')
  if (/[*?[\]{}]/.test(text)) return wrong('has a pattern for a path; a folder covers everything below it')
  const parts = text.split('/')
  if (parts.includes('..')) return wrong('has .. in its path')
  if (/\$(?!STATE(?:\/|$))/.test(text) || text.lastIndexOf('$') > 0) {
    return wrong('has a variable in its path; only $STATE at its beginning has a meaning')
  }
  const base = BASES.find(([prefix]) => parts[0] === prefix)?.[1] ?? (parts[0] === '' ? 'root' : undefined)
  if (base === undefined) {
    const isPlain = !text.startsWith('~')
    return wrong('has a path that does not say from where', isPlain ? `write ./${text}` : undefined)
  }
  const below = parts.slice(1).filter((part) => part !== '' && part !== '.')
  return { base, below: below.join('/') }
}

function wrong(message: string, hint = FORMS): { problem: Flaw } {
  return { problem: { message, hint } }
}

/** The path as a manifest writes it. */
export function showPermissionPath(path: PermissionPath): string {
  if (path.base === 'argument') return `arg:${path.name}`
  const prefix = { workspace: './', home: '~/', root: '/', state: '$STATE/' }[path.base]
  return path.below === '' && path.base === 'state' ? '$STATE' : prefix + path.below
}
