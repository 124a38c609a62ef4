import type { Flaw } from './shape.ts'
import { comparePrecedence, parseVersion, type Version } from './version.ts'

/** Every bound must hold. */
export type Range = readonly Bound[]

interface Bound {
  readonly operator: '>=' | '>' | '<' | '<=' | '='
  readonly version: Version
}

const PART = /^\s*(>=|<=|==|=|>|<|\^|~)\s*v?([0-9][0-9A-Za-z.+-]*)\s*(?:,|$|(?=[\s><=^~]))/

/** `>=3.8`, `^1.2`, `>=1 <2`, `>= 1.0, < 2`. */
export function parseRange(text: string): Range | { readonly problem: Flaw } {
  const bounds: Bound[] = []
  for (let rest = text.trim(); rest !== ''; ) {
    const match = PART.exec(rest)
    const [whole = '', operator = '', written = ''] = match ?? []
    const some = boundsOf(operator, written)
    if (match === null || some === undefined) {
      return {
        problem: {
          message: `has a range that cannot be read: ${JSON.stringify(text.trim().slice(0, 60))}`,
          hint: 'a range is one of >= > = == < <= ^ ~ and a version, such as >=3.8; several are joined by commas',
        },
      }
    }
    bounds.push(...some)
    rest = rest.slice(whole.length).trimStart()
  }
  return bounds
}

/** A pre-release is taken only when a bound names a pre-release of the same version. */
export function isInRange(version: Version, range: Range): boolean {
  if (!range.every((bound) => holds(version, bound))) return false
  return (
    version.prerelease.length === 0 ||
    range.length === 0 ||
    range.some((bound) => bound.version.prerelease.length > 0 && isSameCore(bound.version, version))
  )
}

function boundsOf(operator: string, written: string): Bound[] | undefined {
  const exact = parseVersion(written)
  const partial = /^(\d{1,15})(?:\.(\d{1,15}))?$/.exec(written)
  if (!exact && !partial) return undefined
  const [major, minor] = [Number(partial?.[1]), Number(partial?.[2] ?? 0)]
  const version = exact ?? makeVersion(major, minor, 0)
  // What `3.8` leaves open goes up to, but not into, the next.
  const next = exact ? undefined : partial?.[2] === undefined ? below(major + 1, 0) : below(major, minor + 1)
  switch (operator) {
    case '>=':
      return [{ operator: '>=', version }]
    case '<':
      return [{ operator: '<', version: exact ? version : below(major, minor) }]
    case '>':
      return [next ? { operator: '>=', version: { ...next, prerelease: [] } } : { operator: '>', version }]
    case '<=':
      return [next ? { operator: '<', version: next } : { operator: '<=', version }]
    case '~':
      return between(version, next ?? below(version.major, version.minor + 1))
    case '^':
      return between(version, caretEnd(version, partial?.[2] === undefined && !exact, exact !== null))
    default:
      return next ? between(version, next) : [{ operator: '=', version }]
  }
}

/** The next version that may break: the first number that is not zero goes up. */
function caretEnd({ major, minor, patch }: Version, isMajorOnly: boolean, isExact: boolean): Version {
  if (major > 0 || isMajorOnly) return below(major + 1, 0)
  if (minor > 0 || !isExact) return below(0, minor + 1)
  return below(0, 0, patch + 1)
}

function between(from: Version, to: Version): Bound[] {
  return [
    { operator: '>=', version: from },
    { operator: '<', version: to },
  ]
}

/** The very first pre-release: nothing of that version lies below it. */
function below(major: number, minor: number, patch = 0): Version {
  return { ...makeVersion(major, minor, patch), prerelease: ['0'] }
}

function makeVersion(major: number, minor: number, patch: number): Version {
  return { major, minor, patch, prerelease: [], build: [] }
}

function isSameCore(a: Version, b: Version): boolean {
  return a.major === b.major && a.minor === b.minor && a.patch === b.patch
}

function holds(version: Version, { operator, version: bound }: Bound): boolean {
  const order = comparePrecedence(version, bound)
  if (operator === '=') return order === 0
  if (operator === '>=') return order >= 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order < 0
}
