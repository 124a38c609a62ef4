/** What an ignore file says of a path, from the root of its folder: nothing, or which of the two. */
export type Verdict = 'leave out' | 'keep' | undefined

interface Rule {
  /** What stands between the slashes. */
  readonly parts: readonly string[]
  readonly verdict: Exclude<Verdict, undefined>
  readonly onlyFolders: boolean
}

/**
 * Reads lines as .gitignore has them: `*`, `?` and `**`, a `/` at the beginning or inside ties to the root, one at the
 * end means folders only, `!` keeps what an earlier line leaves out, `#` begins a comment. The last line that fits
 * decides. Character classes are not known.
 */
export function readIgnoreFile(text: string): (path: string, isFolder: boolean) => Verdict {
  const rules = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => toRule(line.trimEnd()) ?? [])
  return (path, isFolder) =>
    rules.findLast(({ parts, onlyFolders }) => (isFolder || !onlyFolders) && fits(parts, path))?.verdict
}

function toRule(line: string): Rule | undefined {
  if (line === '' || line.startsWith('#')) return undefined
  const verdict = line.startsWith('!') ? 'keep' : 'leave out'
  const written = line.replace(/^!/, '').replace(/^\\(?=[!#])/, '')
  const glob = written.replace(/\/+$/, '')
  const names = glob.replace(/^\//, '').split('/')
  if (names.every((name) => name === '')) return undefined
  const tied = glob.includes('/') ? names : ['**', ...names]
  // `a/**` is what is in the folder, not the folder itself.
  const parts = tied.length > 1 && tied.at(-1) === '**' ? [...tied.slice(0, -1), '*', '**'] : tied
  return { parts, verdict, onlyFolders: written.endsWith('/') }
}

function fits(parts: readonly string[], path: string): boolean {
  return matches(parts, path.split('/'), '**', (glob, name) =>
    matches(Array.from(glob), Array.from(name), '*', (one, character) => one === '?' || one === character),
  )
}

/** Whether a pattern with stars fits, in no more steps than both lengths multiplied. */
function matches(
  pattern: readonly string[],
  words: readonly string[],
  star: string,
  isSame: (wanted: string, word: string) => boolean,
): boolean {
  let at = 0
  let back: { readonly at: number; word: number } | undefined
  for (let word = 0; word < words.length; ) {
    const wanted = pattern[at]
    if (wanted === star) {
      back = { at: ++at, word }
    } else if (wanted !== undefined && isSame(wanted, words[word] ?? '')) {
      at++
      word++
    } else if (back === undefined) {
      return false
    } else {
      // The last star takes one more.
      at = back.at
      word = ++back.word
    }
  }
  return pattern.slice(at).every((rest) => rest === star)
}
