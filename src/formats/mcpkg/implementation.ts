import { type McpkgImplementation, type McpkgRequirements, nearest } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { parseRequirement } from '../requirement.ts'
import { type Flaw, list, object, patchy, type Shape, text, words } from '../shape.ts'
import { parseVersion } from '../version.ts'
import { ENDPOINT } from './endpoint.ts'
import { lenient } from './lenient.ts'
import { parsePackageWord } from './package-word.ts'
import { KNOWN_PLATFORMS, parsePlatform } from './platform-word.ts'
import { refine } from './refine.ts'
import { parseRuntime } from './runtime-word.ts'

/** The endpoint of the manifest itself, among the implementations. */
const ENDPOINT_ID = 'endpoint'

const minVersion = (of: string) => text(`Least version of ${of}`, { check: wrongVersion })

const MIN_VERSIONS = {
  minNodeVersion: 'node',
  minPythonVersion: 'python',
  minDotnetVersion: 'dotnet',
  minJavaVersion: 'java',
  minBunVersion: 'bun',
  minDenoVersion: 'deno',
} as const

const REQUIREMENT_FIELDS = {
  minNodeVersion: minVersion('Node.js'),
  minPythonVersion: minVersion('Python'),
  minDotnetVersion: minVersion('.NET'),
  minJavaVersion: minVersion('Java'),
  minBunVersion: minVersion('Bun'),
  minDenoVersion: minVersion('Deno'),
  packages: list(
    'Packages of the runtime, such as PyMuPDF>=1.23.0',
    text('Package', { check: wrongPackage }),
  ),
  commands: list('Programs on PATH, such as ffmpeg or jq>=1.6', text('Program', { check: wrongCommand })),
}

const NO_REQUIREMENTS: McpkgRequirements = { minVersions: {}, packages: [], commands: [], unknown: [] }

const KNOWN_REQUIREMENTS = object('What must be there', REQUIREMENT_FIELDS, { open: true })

/** An unknown requirement is kept: nobody can say that it is met. */
const REQUIREMENTS: Shape<McpkgRequirements> = {
  ...KNOWN_REQUIREMENTS,
  read(value, path, issues) {
    const read = KNOWN_REQUIREMENTS.read(value, path, issues)
    if (read === undefined) return undefined
    const names = Object.keys(REQUIREMENT_FIELDS)
    const written = Object.keys(value as object) // it was read as an object
    const unknown = written.filter((key) => !names.includes(key) && !key.startsWith('x-'))
    for (const key of unknown) {
      const close = nearest(key, names)
      issues.push({
        path: [...path, key],
        onKey: true,
        severity: 'warning',
        message: `unknown requirement \`${key.slice(0, 80)}\`: nobody can check it, so this one is never chosen`,
        ...(close === undefined ? {} : { hint: `did you mean \`${close}\`?` }),
      })
    }
    const minVersions = Object.entries(MIN_VERSIONS).flatMap(([key, runtime]) => {
      const version = read[key as keyof typeof MIN_VERSIONS] // a key of the same table
      return version === undefined ? [] : [[runtime, version] as const]
    })
    return {
      minVersions: Object.fromEntries(minVersions),
      packages: read.packages ?? [],
      commands: read.commands ?? [],
      unknown,
    }
  },
}

const FIELDS = lenient('One way to carry the tool out', {
  id: text('Name among the implementations', {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    expected: 'an id such as node-pdfjs',
  }),
  language: words('What it is written in'),
  runtime: words('What it runs in, such as node, node20, python3.11 or net8.0'),
  platforms: patchy('Where it runs, such as linux-x64, win-x64 or any', words('Platform')),
  endpoint: ENDPOINT,
  requirements: REQUIREMENTS,
})

/** What could be read of one, so that a flaw in one place hides none in another. */
export type ReadImplementation = Omit<McpkgImplementation, 'id' | 'endpoint'> &
  Partial<Pick<McpkgImplementation, 'id' | 'endpoint'>>

/** One element of `implementations`. */
export const IMPLEMENTATION: Shape<ReadImplementation> = refine(FIELDS, (value, { tell, need }) => {
  need('id', 'endpoint')
  const { id, language, runtime, endpoint } = value
  if (id === ENDPOINT_ID)
    tell(['id'], { message: `cannot be ${ENDPOINT_ID}: that is the endpoint of the manifest` })
  if (runtime !== undefined && parseRuntime(runtime) === undefined) {
    const message = `is no runtime that Orla can look for: ${JSON.stringify(runtime.slice(0, 40))}`
    tell(['runtime'], {
      message,
      hint: 'for example node, node20, python3.11, net8.0 or java17',
      severity: 'warning',
    })
  }
  for (const [index, word] of (value.platforms ?? []).entries()) {
    if (word === undefined || parsePlatform(word) !== undefined) continue
    const close = nearest(word, KNOWN_PLATFORMS)
    const message = `is no platform Orla knows: ${JSON.stringify(word.slice(0, 40))}`
    const hint =
      close === undefined ? 'for example linux-x64, win-x64, darwin-arm64 or any' : `did you mean ${close}?`
    tell(['platforms', index], { message, hint, severity: 'warning' })
  }
  return compact<ReadImplementation>({
    id,
    language,
    runtime,
    platforms: (value.platforms ?? []).filter((word) => word !== undefined),
    endpoint,
    requirements: value.requirements ?? NO_REQUIREMENTS,
  })
})

export function isImplementation(read: ReadImplementation | undefined): read is McpkgImplementation {
  return read?.id !== undefined && read.endpoint !== undefined
}

/** The endpoint of a manifest, as an implementation that asks for nothing. */
export function asImplementation(endpoint: McpkgImplementation['endpoint']): McpkgImplementation {
  return { id: ENDPOINT_ID, platforms: [], endpoint, requirements: NO_REQUIREMENTS }
}

function wrongVersion(version: string): Flaw | undefined {
  if (parseVersion(version) || /^\d{1,9}(?:\.\d{1,9})?$/.test(version)) return undefined
  return { message: `must be a version such as 18.0.0, not ${JSON.stringify(version.slice(0, 40))}` }
}

function wrongPackage(word: string): Flaw | undefined {
  const parsed = parsePackageWord(word)
  return 'problem' in parsed ? parsed.problem : undefined
}

function wrongCommand(word: string): Flaw | undefined {
  const parsed = parseRequirement(word)
  if ('problem' in parsed) return parsed.problem
  return parsed.kind === 'tool' ? { message: 'must be a program, not a tool' } : undefined
}
