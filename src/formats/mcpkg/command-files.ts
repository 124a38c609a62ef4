import { normalInnerPath } from '../inner-path.ts'
import type { Flaw } from '../shape.ts'

/** What a command takes from its package, and what it must not take from elsewhere. */
export interface CommandFiles {
  /** Files that must be in the package. */
  readonly needed: readonly string[]
  readonly flaws: readonly (Flaw & { readonly severity?: 'warning' })[]
}

/**
 * A word that begins with ./ is a file, and so are a program with a slash in it and a script behind an
 * interpreter. Other words may mean anything.
 */
export function commandFiles(words: readonly string[]): CommandFiles {
  const [first = ''] = words
  if (words.some((word) => /(?:^|[/=])\.\.(?:\/|$)/.test(word))) {
    return { needed: [], flaws: [{ message: 'must not leave the package with ..' }] }
  }
  const flaws = isAbsolute(first)
    ? [
        {
          message: `names \`${first}\`, which other machines may not have`,
          hint: 'name the program, PATH finds it',
          severity: 'warning',
        } as const,
      ]
    : []
  const files = words.filter((word, index) => {
    if (word.startsWith('./')) return true
    if (word.startsWith('-') || isAbsolute(word)) return false
    return index === 0
      ? word.includes('/')
      : index === 1 && /\.[A-Za-z][A-Za-z0-9]*$/.test(word) && !word.includes('://')
  })
  return { needed: files.map(normalInnerPath), flaws }
}

function isAbsolute(word: string): boolean {
  return word.startsWith('/') || /^[A-Za-z]:[\\/]/.test(word)
}
