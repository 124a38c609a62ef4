import { parseRequirement, satisfies } from '../requirement.ts'
import { hasWords, type McpkgHost } from './host.ts'
import { familyOf, isKnownRuntime, parseRuntime, type RuntimeNeed } from './runtime-word.ts'

/** The runtime an implementation asks for, as a host has it. */
export interface FoundRuntime {
  /** The program to start it with; absent when none is needed or none was found. */
  readonly program?: string
  readonly version?: string | null
  /** Programs that would be it. */
  readonly programs: readonly string[]
  readonly reasons: readonly string[]
}

/** `first` is what the command begins with. It says what is needed where nothing else does. */
export function findRuntime(runtime: string | undefined, first: string, host: McpkgHost): FoundRuntime {
  const word = runtime ?? (isKnownRuntime(first) ? first : 'none')
  if (word === 'browser') return refuse('it runs in a browser only')
  const need = parseRuntime(word)
  if (need === null) return { programs: [], reasons: [] }
  if (need === undefined)
    return refuse(`it needs the runtime ${JSON.stringify(word)}, which Orla does not know`)
  const { label, programs } = need
  const there = [...new Set(programs.includes(first) ? [first, ...need.names] : need.names)].flatMap(
    (name) => {
      const version = host.programVersion(name, need.range !== undefined || isKnownRuntime(name))
      return version === undefined ? [] : [{ name, version }]
    },
  )
  const found = there.find(({ version }) => isGoodEnough(need, version))
  if (found !== undefined) {
    const program = programs.includes(found.name) ? found.name : (programs[0] ?? found.name)
    return { ...found, program, programs, reasons: [] }
  }
  const [other] = there
  const missing =
    other === undefined ? 'which is not installed' : `and this machine ${hasWords(other.version)}`
  return refuse(`it needs ${label}, ${missing}`, programs)
}

/** `minNodeVersion` and its like; of the runtime that was found, where it is the same. */
export function leastReasons(family: string, least: string, found: FoundRuntime, host: McpkgHost): string[] {
  const { label, programs } = familyOf(family)
  const isSame = programs.some((program) => found.programs.includes(program))
  const version =
    isSame && found.version !== undefined
      ? found.version
      : programs.map((name) => host.programVersion(name)).find((one) => one !== undefined)
  const needs = `it needs ${label} ${least} or newer`
  if (version === undefined) return [`${needs}, which is not installed`]
  const requirement = parseRequirement(`${family}>=${least}`)
  const isMet = !('problem' in requirement) && version !== null && satisfies(requirement, version)
  return isMet ? [] : [`${needs}, and this machine ${hasWords(version)}`]
}

function isGoodEnough({ range }: RuntimeNeed, version: string | null): boolean {
  if (range === undefined) return true
  return version !== null && satisfies({ kind: 'program', name: '', range, written: '' }, version)
}

function refuse(reason: string, programs: readonly string[] = []): FoundRuntime {
  return { programs, reasons: [reason] }
}
