import { join } from 'node:path'
import type { SchemaJudges } from '../formats/index.ts'
import {
  type Grant,
  type GrantManner,
  OrlaError,
  type Pin,
  type Receipt,
  type Registry,
} from '../model/index.ts'
import {
  type GitCache,
  removeIfEmpty,
  type Staging,
  sweepStaging,
  withFolderLock,
} from '../platform/index.ts'
import { toolsAround } from './called-tools.ts'
import type { Candidate } from './candidate.ts'
import { checkPrograms } from './dependencies.ts'
import { gather } from './gather.ts'
import { mcpDirOf } from './layout.ts'
import { checkAgainstLock } from './lock.ts'
import { readLocks } from './locks.ts'
import { dependencyOrder } from './needs.ts'
import type { Places } from './places.ts'
import { actionOf, grantFor, plan } from './plan.ts'
import type { PlannedPackage, Ports } from './ports.ts'
import type { ResolveDeps } from './resolve.ts'
import { type Stored, store } from './store.ts'
import type { Trust } from './trust.ts'
import { trustLocked } from './trust-lock.ts'
import { tryTests } from './try-tests.ts'
import type { Wanted } from './wanted.ts'

export interface InstallOptions {
  /** Nothing that orla.lock does not say. */
  readonly frozen: boolean
  readonly offline: boolean
  /** Plan only. */
  readonly dryRun: boolean
  /** Install again what is there already. */
  readonly force: boolean
  readonly test: boolean
  /** The newest there is may be older than what was there before. */
  readonly allowDowngrade?: boolean
}

export interface InstallDeps extends Omit<ResolveDeps, 'offline' | 'warn'> {
  readonly git: GitCache
  readonly places: Places
  readonly ports: Ports
  readonly token: (registry: Registry, url: string) => string | undefined
  /** Absent: the JSON Schemas of a package are taken as they are. */
  readonly schemas?: SchemaJudges
  /** Absent: no key is known, and unsigned packages are told. */
  readonly trust?: Trust
  /** Remembers, where packages cannot write, what was installed; and whether a receipt is what was remembered. */
  readonly memory?: InstallMemory
}

/** Who else knows what was installed: a receipt lies where anyone who changes the package can change it too. */
export interface InstallMemory {
  /**
   * Before anything is put there. What lies there stays believed beside what is remembered then: an install that is
   * ended in the middle leaves it.
   */
  prepare(folder: string): (receipt: Receipt, listing: string) => void
  /** False when something else is remembered of that folder, or nothing. */
  vouches(folder: string, receipt: Receipt): boolean
}

export interface InstallReport {
  readonly planned: readonly PlannedPackage[]
  readonly installed: readonly InstalledPackage[]
}

export interface InstalledPackage {
  readonly name: string
  readonly version: string
  readonly status: 'installed' | 'unchanged'
  readonly folder: string
  readonly pin: Pin
}

/**
 * spec → pin → tree → checks → consent → tests → store → lock. Until the last rename nothing that was
 * there is touched; what an interrupted run leaves behind is swept by the next one.
 */
export async function install(
  wanted: readonly Wanted[],
  options: InstallOptions,
  deps: InstallDeps,
): Promise<InstallReport> {
  const stagings: Staging[] = []
  try {
    const { candidates, planned, how } = await prepare(wanted, options, deps, stagings)
    if (how === undefined) return { planned, installed: [] }
    const grantOf = (candidate: Candidate) => {
      const one = planned[candidates.indexOf(candidate)]
      return one && grantFor(candidate, one, how, deps.ports)
    }
    const { installed, failure } = await storeLocked(candidates, grantOf, options, deps)
    if (failure !== undefined) throw withWhatStays(failure, installed, deps.signal)
    return { planned, installed }
  } finally {
    for (const staging of stagings) staging.discard()
    removeIfEmpty(mcpDirOf(deps.places))
  }
}

/** Everything that comes before the first change: whatever goes wrong here, nothing has happened. Without `how` nothing will. */
async function prepare(
  wanted: readonly Wanted[],
  options: InstallOptions,
  deps: InstallDeps,
  stagings: Staging[],
): Promise<{ candidates: Candidate[]; planned: PlannedPackage[]; how?: GrantManner }> {
  const { places, ports } = deps
  try {
    for (const one of wanted) {
      if ('locked' in one) await trustLocked(one.locked, deps)
      if ('update' in one) await trustLocked(one.update, deps)
    }
    const candidates = await gather(wanted, options, deps, stagings)
    dependencyOrder(candidates)
    for (const { manifest } of candidates) checkPrograms(manifest, ports.programVersion)
    checkAgainstLock(candidates, readLocks(places), options.frozen)
    const tools = await toolsAround(candidates, ports)
    const planned: PlannedPackage[] = []
    for (const candidate of candidates) {
      const one = await plan(candidate, options, deps, tools)
      const diff = one.action === 'keep' ? undefined : await ports.compare?.(candidate.staging.dir, one)
      planned.push(diff === undefined ? one : { ...one, diff })
    }
    if (options.dryRun) return { candidates, planned }
    const how = await ports.consent({ packages: planned })
    if (how === undefined) {
      throw new OrlaError('E_REFUSED', 'nothing was installed', { hint: '--yes accepts the plan' })
    }
    if (options.test) await tryTests(candidates, planned, ports)
    if (deps.signal?.aborted) throw interrupted([])
    return { candidates, planned, how }
  } catch (error) {
    // What an interruption broke off fails in many ways; they all mean the same.
    throw deps.signal?.aborted ? interrupted([]) : error
  }
}

async function storeLocked(
  candidates: readonly Candidate[],
  grantOf: (candidate: Candidate) => Grant | undefined,
  options: InstallOptions,
  deps: InstallDeps,
): Promise<Stored> {
  const { places, ports, signal } = deps
  const work = async () => {
    sweepStaging(places.toolsDir)
    sweepStaging(mcpDirOf(places))
    // Someone else may have come in between: what is there now decides.
    const isKept = (candidate: Candidate) => actionOf(candidate, options, deps) === 'keep'
    // Before the first of them can be called.
    await ports.grants.add(candidates.flatMap((candidate) => grantOf(candidate) ?? []))
    return store(candidates, isKept, options.frozen, deps)
  }
  try {
    return await withFolderLock(join(places.toolsDir, '.orla-lock'), work, {
      onWait: (pid) => ports.warn(`waiting for another install (pid ${pid})`),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    throw error instanceof OrlaError && error.code === 'E_INTERRUPTED' ? interrupted([]) : error
  }
}

/** What was stored before a failure stays, and people have to know. */
function withWhatStays(
  failure: unknown,
  installed: readonly InstalledPackage[],
  signal: AbortSignal | undefined,
): unknown {
  const stays = installed
    .filter(({ status }) => status === 'installed')
    .map(({ name, version }) => `${name} ${version}`)
  if (signal?.aborted) return interrupted(stays)
  if (!(failure instanceof OrlaError) || stays.length === 0) return failure
  return new OrlaError(
    failure.code,
    `${failure.message}\ninstalled before it, and still so: ${stays.join(', ')}`,
    {
      cause: failure,
      ...(failure.hint === undefined ? {} : { hint: failure.hint }),
    },
  )
}

function interrupted(stays: readonly string[]): OrlaError {
  const what = stays.length === 0 ? 'nothing was changed' : `installed before that: ${stays.join(', ')}`
  return new OrlaError('E_INTERRUPTED', `interrupted; ${what}`)
}
