import { isPackageName } from './package-name.ts'
import { isInRange, parseRange, type Range } from './range.ts'
import type { Flaw } from './shape.ts'
import { parseVersion, type Version } from './version.ts'

/** What a package needs beside itself. */
export type Requirement =
  /** Something on PATH: `python>=3.8`, `jq`. */
  | { readonly kind: 'program'; readonly name: string; readonly range?: Range; readonly written: string }
  /** Another package: `tool:fs>=0.2.0`. */
  | { readonly kind: 'tool'; readonly name: string; readonly range?: Range; readonly written: string }

const PROGRAM = /^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$/

export function parseRequirement(word: string): Requirement | { readonly problem: Flaw } {
  const written = word.trim()
  const kind = written.startsWith('tool:') ? 'tool' : 'program'
  const text = kind === 'tool' ? written.slice('tool:'.length) : written
  const end = text.search(/[\s<>=^~!,]/)
  const name = end < 0 ? text : text.slice(0, end)
  if (kind === 'tool' ? !isPackageName(name) : !PROGRAM.test(name)) {
    const what = kind === 'tool' ? 'the name of a package' : 'the name of a program'
    return {
      problem: {
        message: `${JSON.stringify(written.slice(0, 60))} does not begin with ${what}`,
        hint: 'for example python>=3.8, jq or tool:fs>=0.2.0',
      },
    }
  }
  if (end < 0) return { kind, name, written }
  const range = parseRange(text.slice(end))
  return 'problem' in range ? range : { kind, name, range, written }
}

/** Whether a version is good enough. What a program prints about itself (`Python 3.11.7`) is read generously. */
export function satisfies(requirement: Requirement, version: string): boolean {
  if (requirement.range === undefined) return true
  const parsed = requirement.kind === 'tool' ? parseVersion(version.replace(/^v/, '')) : findVersion(version)
  return parsed !== null && isInRange(parsed, requirement.range)
}

/** The first thing in a text that looks like a version; two numbers are better than one. */
function findVersion(text: string): Version | null {
  const printed = text.slice(0, 4096)
  const match = /(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?/.exec(printed) ?? /(\d{1,9})/.exec(printed)
  if (match === null) return null
  const [major, minor, patch] = [match[1], match[2], match[3]].map((part) => Number(part ?? 0))
  return { major: major ?? 0, minor: minor ?? 0, patch: patch ?? 0, prerelease: [], build: [] }
}
