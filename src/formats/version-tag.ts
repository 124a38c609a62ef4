import { checkVersion, newestVersion, parseVersion, type Version } from './version.ts'

/** The version behind a tag such as `v1.2.3`; null when the tag is none. */
export function parseTag(tag: string): Version | null {
  return tag.startsWith('v') ? parseVersion(tag.slice(1)) : null
}

/** The tag of the latest stable version; of the latest pre-release when there is nothing else. */
export function chooseTag(tags: readonly string[]): string | undefined {
  const newest = newestVersion(tags.filter((tag) => tag.startsWith('v')).map((tag) => tag.slice(1)))
  return newest === undefined ? undefined : `v${newest}`
}

/** Why a word cannot stand behind NAME@; undefined when it can. */
export function checkTagWord(word: string): string | undefined {
  if (word === 'latest' || parseTag(word)) return undefined
  if (word === '') return 'it is empty; write v1.0.0 or latest'
  if (parseVersion(word)) return `tags begin with v; write v${word}`
  if (/^[\^~<>=*]/.test(word)) return 'ranges are not supported; write one tag such as v1.0.0, or latest'
  if (parseTag(`v${word.slice(1)}`) && word.startsWith('V')) return `the v is small; write v${word.slice(1)}`
  const hint = word.startsWith('v') ? checkVersion(word.slice(1))?.hint : undefined
  return `it is neither v and a version, such as v1.0.0, nor latest${hint === undefined ? '' : ` (${hint})`}`
}
