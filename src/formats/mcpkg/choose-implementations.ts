import type { LocalEndpoint, McpkgImplementation, McpkgManifest } from '../../model/index.ts'
import { compact } from '../compact.ts'
import { parseRequirement, type Requirement, satisfies } from '../requirement.ts'
import { type FoundRuntime, findRuntime, leastReasons } from './fit-runtime.ts'
import { type FoundVersion, hasWords, type McpkgHost } from './host.ts'
import { asImplementation } from './implementation.ts'
import { parsePackageWord } from './package-word.ts'
import { parsePlatform, runsOn } from './platform-word.ts'

/** One that can run here. */
export interface Fitting {
  readonly implementation: McpkgImplementation
  /** What to start, of a local one: `python` becomes `python3` where only that is there. */
  readonly words?: readonly string[]
}

/** One that cannot, and everything that speaks against it, for people. */
export interface Unfit {
  readonly implementation: McpkgImplementation
  readonly reasons: readonly string[]
}

export interface Choice {
  /** In the order of the manifest; its own endpoint comes last. */
  readonly fitting: readonly Fitting[]
  readonly unfit: readonly Unfit[]
}

/** Which implementations can run on a host (MCPKG §10.3). Which of them is best is decided elsewhere. */
export function chooseImplementations(
  { implementations, endpoint }: Pick<McpkgManifest, 'implementations' | 'endpoint'>,
  host: McpkgHost,
): Choice {
  const all = endpoint === undefined ? implementations : [...implementations, asImplementation(endpoint)]
  const fitting: Fitting[] = []
  const unfit: Unfit[] = []
  for (const implementation of all) {
    const { words, reasons } = lookAt(implementation, host)
    if (reasons.length > 0) unfit.push({ implementation, reasons })
    else fitting.push(compact<Fitting>({ implementation, words }))
  }
  return { fitting, unfit }
}

function lookAt(
  implementation: McpkgImplementation,
  host: McpkgHost,
): Omit<Unfit & Fitting, 'implementation'> {
  const { endpoint, requirements, runtime, platforms } = implementation
  // What an endpoint elsewhere runs in, and on, is not a matter of this host.
  if (endpoint.type === 'http') return { reasons: platformReasons(platforms, host) }
  const [first = '', ...rest] = endpoint.words
  const found = findRuntime(runtime, first, host)
  return {
    words:
      found.program !== undefined && found.programs.includes(first)
        ? [found.program, ...rest]
        : endpoint.words,
    reasons: [
      ...platformReasons(platforms, host),
      ...found.reasons,
      ...Object.entries(requirements.minVersions).flatMap(([family, least]) =>
        leastReasons(family, least, found, host),
      ),
      ...(found.reasons.length > 0
        ? []
        : packageReasons(requirements.packages, found.program ?? first, host)),
      ...requirements.commands.flatMap((word) => commandReasons(word, host)),
      ...starterReasons(endpoint, found, host),
      ...requirements.unknown.map((key) => `it needs \`${key}\`, and Orla does not know how to check that`),
    ],
  }
}

function platformReasons(platforms: readonly string[], host: McpkgHost): string[] {
  const here = parsePlatform(`${host.platform}-${host.arch}`) ?? {
    system: host.platform,
    processor: host.arch,
  }
  const fits = platforms.map(parsePlatform).some((wanted) => wanted !== undefined && runsOn(wanted, here))
  if (platforms.length === 0 || fits) return []
  return [`it is made for ${platforms.join(', ')}, and this is ${here.system}-${here.processor}`]
}

/** Asked only where the runtime is there: packages belong to it. */
function packageReasons(words: readonly string[], program: string, host: McpkgHost): string[] {
  return words.flatMap((word) => {
    const parsed = parsePackageWord(word)
    if ('problem' in parsed) return []
    return versionReasons(
      { kind: 'program', ...parsed },
      'the package ',
      host.packageVersion(program, parsed.name),
    )
  })
}

function commandReasons(word: string, host: McpkgHost): string[] {
  const parsed = parseRequirement(word)
  if ('problem' in parsed) return []
  return versionReasons(parsed, '', host.programVersion(parsed.name, parsed.range !== undefined))
}

function versionReasons(requirement: Requirement, what: string, version: FoundVersion): string[] {
  const needs = `it needs ${what}\`${requirement.written}\``
  if (version === undefined) return [`${needs}, which is not installed`]
  const isMet = requirement.range === undefined || (version !== null && satisfies(requirement, version))
  return isMet ? [] : [`${needs}, and this machine ${hasWords(version)}`]
}

/** The program the command begins with, unless it is the runtime or a file of the package. */
function starterReasons({ words }: LocalEndpoint, found: FoundRuntime, host: McpkgHost): string[] {
  const [first = ''] = words
  if (first.includes('/') || found.programs.includes(first)) return []
  const isThere = host.programVersion(first, false) !== undefined
  return isThere ? [] : [`its command begins with \`${first}\`, which is not installed`]
}
