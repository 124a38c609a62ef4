import type { Fit, RegistryEntry } from '../../model/index.ts'
import type { McpkgHost } from './host.ts'
import { parsePlatform, runsOn } from './platform-word.ts'
import { familyOf, isKnownRuntime } from './runtime-word.ts'

/** Languages whose programs need a runtime of another name. */
const RUNTIMES: Readonly<Record<string, string>> = {
  javascript: 'node',
  typescript: 'node',
  js: 'node',
  ts: 'node',
  'c#': 'dotnet',
  csharp: 'dotnet',
  kotlin: 'java',
}

/** What a registry says about a package, held against this machine. */
export function fitOfEntry(
  { platforms, language }: Pick<RegistryEntry, 'platforms' | 'language'>,
  host: McpkgHost,
): Fit {
  const here = parsePlatform(`${host.platform}-${host.arch}`)
  const isFor = platforms.some((word) => {
    const wanted = parsePlatform(word)
    return wanted !== undefined && here !== undefined && runsOn(wanted, here)
  })
  if (platforms.length > 0 && !isFor) return { value: 0, words: `made for ${platforms.join(', ')}` }
  const missing = missingRuntime(language, host)
  if (missing !== undefined) return { value: 0.2, words: `needs ${missing}, which is not installed` }
  return isFor ? { value: 1, words: 'made for this platform' } : { value: 0.7, words: 'says of no platform' }
}

function missingRuntime(language: string | undefined, host: McpkgHost): string | undefined {
  const word = (language ?? '').toLowerCase()
  const runtime = Object.hasOwn(RUNTIMES, word) ? (RUNTIMES[word] ?? word) : word
  if (!isKnownRuntime(runtime)) return undefined
  const { label, programs } = familyOf(runtime)
  return programs.some((program) => host.programVersion(program, false) !== undefined) ? undefined : label
}
