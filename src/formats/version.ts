import type { Flaw } from './shape.ts'

/** A version by SemVer 2.0. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
  readonly prerelease: readonly string[]
  readonly build: readonly string[]
}

const MAX_LENGTH = 256
const NUMBER = /^(?:0|[1-9]\d*)$/
const IDENTIFIER = /^[0-9A-Za-z-]+$/

/** Nearly all are this, and every start reads many. */
const PLAIN = /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})$/
const NO_WORDS = { prerelease: [], build: [] } as const

/** The version a text is, exactly; null when it is none. */
export function parseVersion(text: string): Version | null {
  const plain = PLAIN.exec(text)
  if (plain !== null) {
    return { major: Number(plain[1]), minor: Number(plain[2]), patch: Number(plain[3]), ...NO_WORDS }
  }
  if (text.length > MAX_LENGTH) return null
  const plus = text.indexOf('+')
  const rest = plus < 0 ? text : text.slice(0, plus)
  const dash = rest.indexOf('-')
  const core = (dash < 0 ? rest : rest.slice(0, dash)).split('.')
  const prerelease = dash < 0 ? [] : rest.slice(dash + 1).split('.')
  const build = plus < 0 ? [] : text.slice(plus + 1).split('.')
  if (core.length !== 3 || !core.every((part) => NUMBER.test(part))) return null
  if (![...prerelease, ...build].every((part) => IDENTIFIER.test(part))) return null
  if (prerelease.some((part) => /^0\d+$/.test(part))) return null
  const [major = 0, minor = 0, patch = 0] = core.map(Number)
  if (![major, minor, patch].every(Number.isSafeInteger)) return null
  return { major, minor, patch, prerelease, build }
}

/** Why a text is no version; undefined when it is one. */
export function checkVersion(text: string): Flaw | undefined {
  if (parseVersion(text)) return undefined
  const message = `must be a version such as 1.0.0, not ${JSON.stringify(text.slice(0, 40))}`
  const bare = text.replace(/^[vV=]+/, '')
  if (bare !== text && parseVersion(bare)) {
    return { message, hint: `write ${bare}, the ${text[0]} belongs to the tag` }
  }
  const whole = wholeVersion(text)
  if (whole !== text) return { message, hint: `a version has three numbers: ${whole}` }
  return { message, hint: 'three numbers, then -rc.1 for a pre-release: see semver.org' }
}

/** What was meant by one or two numbers: 1.10 is 1.10.0. Anything else stays what it is. */
export function wholeVersion(text: string): string {
  return /^\d+(?:\.\d+)?$/.test(text) ? `${text}${text.includes('.') ? '.0' : '.0.0'}` : text
}

/**
 * The order of SemVer 2.0. Versions that differ only in build metadata have the same precedence there; here
 * the metadata decides, so that the order is always the same. What is no version comes first.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === null || right === null)
    return Number(left !== null) - Number(right !== null) || compareText(a, b)
  return comparePrecedence(left, right) || compareIdentifiers(left.build, right.build)
}

export function comparePrecedence(a: Version, b: Version): number {
  return (
    Math.sign(a.major - b.major || a.minor - b.minor || a.patch - b.patch) ||
    // A version comes after its own pre-releases.
    Number(b.prerelease.length > 0) - Number(a.prerelease.length > 0) ||
    compareIdentifiers(a.prerelease, b.prerelease)
  )
}

/** The newest stable version; the newest pre-release when there is nothing else. */
export function newestVersion(versions: readonly string[]): string | undefined {
  const known = versions.filter((version) => parseVersion(version) !== null).sort(compareVersions)
  return known.findLast((version) => !isPreRelease(version)) ?? known.at(-1)
}

export function newestFirst(versions: readonly string[]): string[] {
  return [...versions].sort((a, b) => compareVersions(b, a))
}

/** `1.0.0-rc.1` and the like. */
export function isPreRelease(version: string): boolean {
  return (parseVersion(version)?.prerelease.length ?? 0) > 0
}

function compareIdentifiers(a: readonly string[], b: readonly string[]): number {
  for (const [index, left] of a.entries()) {
    const right = b[index]
    if (right === undefined) return 1
    const difference = compareIdentifier(left, right)
    if (difference !== 0) return difference
  }
  return a.length < b.length ? -1 : 0
}

/** Numbers by value and before words, words by their characters. */
function compareIdentifier(a: string, b: string): number {
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  if (!isNumberA) return compareText(a, b)
  const [left, right] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')]
  return Math.sign(left.length - right.length) || compareText(left, right)
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
