import { parseRange, type Range } from '../range.ts'
import type { Flaw } from '../shape.ts'

/** A package of the runtime: `PyMuPDF>=1.23.0`, `requests[socks]~=2.31`, `@scope/name@^1.2`. */
export interface PackageWord {
  readonly name: string
  readonly range?: Range
  readonly written: string
}

const WORD =
  /^(@[A-Za-z0-9._~-]+\/[A-Za-z0-9._~-]+|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(\[[A-Za-z0-9._, -]*\])?\s*(.*)$/s

export function parsePackageWord(word: string): PackageWord | { readonly problem: Flaw } {
  const written = word.trim()
  const [, name, , rest = ''] = written.length > 512 ? [] : (WORD.exec(written) ?? [])
  if (name === undefined) {
    const shown = JSON.stringify(written.slice(0, 60))
    return {
      problem: {
        message: `${shown} does not begin with the name of a package`,
        hint: 'for example PyMuPDF>=1.23.0',
      },
    }
  }
  if (rest === '') return { name, written }
  const range = parseRange(inOurWords(rest))
  return 'problem' in range ? range : { name, range, written }
}

/** What pip and npm write otherwise. */
function inOurWords(range: string): string {
  return range
    .replace(/^@\s*/, '')
    .replace(/^(?:latest|\*|x)$/, '')
    .replace(/^(?=[v\d])/, '=')
    .replace(/~=\s*(\d+)(\.\d+)?(\.\d+)?/g, (_, major: string, minor = '', patch = '') =>
      patch === '' ? `>=${major}${minor},<${Number(major) + 1}` : `~${major}${minor}${patch}`,
    )
    .replace(/\.[*x]/g, '')
}
