import type { SandboxBackend, SandboxPath, SandboxProfile } from '../../model/index.ts'
import type { Counting } from './hold-limits.ts'
import { canLeadTo } from './host-way.ts'
import { isWithin } from './within.ts'

/** What this host has to hold a program back with. */
export interface SandboxTier {
  readonly backend: SandboxBackend
  /** The launcher is there, which sets limits. */
  readonly launcher: boolean
  /** There is a filter of system calls for this machine. */
  readonly filter: boolean
  /** Version of Landlock; 0 for other backends. */
  readonly landlock: number
  readonly counting: Counting
}

export interface Enforceable {
  readonly enforced: readonly string[]
  readonly unenforced: readonly string[]
}

/** Signals and abstract sockets stay inside from this version of Landlock on. */
export const SCOPED_SINCE = 6

/** What the profile forbids or limits, sorted by whether this tier can see to it. In words for people. */
export function enforceable(profile: SandboxProfile, tier: SandboxTier): Enforceable {
  const enforced: string[] = []
  const unenforced: string[] = []
  const check = (what: string, isEnforced: boolean) => (isEnforced ? enforced : unenforced).push(what)
  const { backend, launcher, filter } = tier
  const isBwrap = backend === 'bwrap'
  const isSeatbelt = backend === 'seatbelt'
  const isConfined = backend !== 'none'

  check('files', isConfined)
  if (profile.paths.some(isPart)) {
    check('protected files', isConfined)
  }
  // Whether a file is there can be told from how Seatbelt refuses it.
  check('metadata of files', isBwrap)
  if (profile.network.kind === 'none') check('network', isConfined)
  if (profile.network.kind === 'hosts')
    check(NETWORK_HOSTS, isBwrap && filter && canLeadTo(profile, launcher))
  check('unix sockets', canHoldSockets(profile, tier))
  check('other processes', isBwrap || isSeatbelt || tier.landlock >= SCOPED_SINCE)
  // Seatbelt denies services and devices, and filters no system calls.
  check('kernel interfaces', isConfined && !isSeatbelt && filter)

  const { cpuMs, memoryBytes, processes, fileBytes } = profile.limits
  if (cpuMs !== undefined) check('processor time', launcher)
  if (memoryBytes !== undefined) check('memory', launcher)
  if (processes !== undefined) check('number of processes', launcher && tier.counting !== 'none')
  if (fileBytes !== undefined) check('size of files', launcher)
  return { enforced, unenforced }
}

export const NETWORK_HOSTS = 'network hosts'

/**
 * What is told and stops nothing: the light tier never holds metadata, and bounds on time and memory guard against
 * accidents, not against what a package may reach.
 */
const ONLY_TOLD = ['metadata of files', 'processor time', 'memory', 'number of processes', 'size of files']

/** Of what is not held, that which a person has to accept before anything runs. */
export function toAccept(unenforced: readonly string[]): readonly string[] {
  return unenforced.filter((what) => !ONLY_TOLD.includes(what))
}

/** Taken back from a wider grant. */
function isPart(part: SandboxPath, _: number, paths: readonly SandboxPath[]): boolean {
  return paths.some((outer) => isPartOf(part, outer))
}

export function isPartOf(part: SandboxPath, outer: SandboxPath): boolean {
  if (part === outer || !isWithin(part.path, outer.path)) return false
  return part.access === 'hidden' || (part.access === 'read' && outer.access === 'write')
}

/**
 * A rule of Landlock holds for everything below its folder, and nothing can be taken back: a folder with protected
 * parts is given as the pieces beside them, and nothing new can be made directly in it.
 */
export function isGivenInPieces(outer: SandboxPath, paths: readonly SandboxPath[]): boolean {
  return paths.some((part) => isPartOf(part, outer))
}

/**
 * The filter knows only whether, not which: where one socket is allowed it is the view of files that tells. Seatbelt
 * knows them by their paths.
 */
function canHoldSockets(profile: SandboxProfile, { backend, filter }: SandboxTier): boolean {
  const { sockets, paths, network } = profile
  if (backend === 'seatbelt') return true
  if (backend === 'none' || !filter) return false
  if (sockets.length === 0 && network.kind !== 'hosts') return true
  return backend === 'bwrap' && paths.every(({ access }) => access === 'hidden')
}
