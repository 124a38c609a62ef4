import { escapeControls } from '../model/index.ts'
import type { Flaw } from './shape.ts'

/** Why a text cannot say where a repository or download is; undefined when it can. Git is given it as a word. */
export function checkLocation(location: string): Flaw | undefined {
  const must = 'must be the URL or path of a git repository or an archive'
  if (location.trim() === '') return { message: `${must}, but is empty` }
  if (location.startsWith('-')) return { message: `${must}, and cannot begin with -` }
  if (escapeControls(location) !== location || /[\n\t]/.test(location)) {
    return { message: `${must}, but has control characters in it` }
  }
  if (/^[A-Za-z0-9+.-]+::/.test(location)) {
    return { message: `${must}; remote helpers such as ext:: are refused` }
  }
  return undefined
}

/** A place that is downloaded and unpacked, where others are cloned. */
export function isArchiveUrl(location: string): boolean {
  return /^https?:[^?#]*\.(?:zip|tgz|tar\.gz|mcpkg)(?:[?#]|$)/i.test(location)
}
