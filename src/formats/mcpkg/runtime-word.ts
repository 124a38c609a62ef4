import { parseRange, type Range } from '../range.ts'

/** What an implementation's `runtime` asks for. */
export interface RuntimeNeed {
  /** How people call it: `Python 3.11`. */
  readonly label: string
  /** Programs that are it, best first. */
  readonly programs: readonly string[]
  /** Names under which a host may know it: its programs, and `net8.0` where one program has several versions. */
  readonly names: readonly string[]
  readonly range?: Range
}

interface Family {
  readonly label: string
  readonly programs: readonly string[]
  /** How far up the version may be: the next major version of these does not run what was made for this one. */
  readonly staysInMajor?: true
  /** The same program starts every version. */
  readonly hasOneProgram?: true
}

const FAMILIES: Readonly<Record<string, Family>> = {
  node: { label: 'Node.js', programs: ['node', 'nodejs'] },
  python: { label: 'Python', programs: ['python3', 'python'], staysInMajor: true },
  dotnet: { label: '.NET', programs: ['dotnet'], staysInMajor: true, hasOneProgram: true },
  java: { label: 'Java', programs: ['java'] },
  bun: { label: 'Bun', programs: ['bun'] },
  deno: { label: 'Deno', programs: ['deno'] },
}

const ALIASES: Readonly<Record<string, string>> = {
  nodejs: 'node',
  py: 'python',
  net: 'dotnet',
  netcoreapp: 'dotnet',
  jre: 'java',
  jdk: 'java',
  openjdk: 'java',
}

/** Words that ask for nothing. */
const NOTHING = new Set(['any', 'none', 'native', 'binary'])
const WORD = /^([a-z][a-z+_]*?)-?v?(\d+(?:\.\d+){0,2})?$/

/** null: nothing is needed. undefined: not a runtime word. `browser` asks for what no host has. */
export function parseRuntime(word: string): RuntimeNeed | null | undefined {
  const lower = word.trim().toLowerCase()
  if (NOTHING.has(lower)) return null
  const [, name = '', version] = WORD.exec(lower) ?? []
  if (name === '') return undefined
  const family = familyOf(name)
  if (version === undefined) return { label: family.label, programs: family.programs, names: family.programs }
  // A word names the least version that will do.
  const range = parseRange(
    `>=${version}${family.staysInMajor ? `,<${Number.parseInt(version, 10) + 1}` : ''}`,
  )
  if ('problem' in range) return undefined
  // `python3.11` is a program of its own on many systems; other versions may be installed beside it.
  const own = [
    ...new Set([lower, ...family.programs.map((program) => program.replace(/\d+$/, '') + version)]),
  ]
  const names = [...own, ...family.programs]
  return {
    label: `${family.label} ${version}`,
    programs: family.hasOneProgram ? family.programs : names,
    names,
    range,
  }
}

/** Whether a program is one of the runtimes that go by several names. */
export function isKnownRuntime(program: string): boolean {
  const name = WORD.exec(program)?.[1] ?? ''
  return Object.hasOwn(FAMILIES, name) || Object.hasOwn(ALIASES, name)
}

/** The family of a runtime or of what `minNodeVersion` and the like speak of. */
export function familyOf(name: string): Family {
  const known = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name
  return (Object.hasOwn(FAMILIES, known) ? FAMILIES[known] : undefined) ?? { label: name, programs: [name] }
}
