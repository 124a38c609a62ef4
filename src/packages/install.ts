import { join } from 'node:path'
import { addedPermissions } from '../formats/index.ts'
import { OrlaError, type Pin, type Registry } from '../model/index.ts'
import { type GitCache, type Staging, sweepStaging, withFolderLock } from '../platform/index.ts'
import { checkPrograms } from './dependencies.ts'
import { type Candidate, gather, type Wanted } from './gather.ts'
import { installedVersions } from './installed.ts'
import { checkAgainstLock, readLock } from './lock.ts'
import { sourceOf } from './pin-words.ts'
import type { Places } from './places.ts'
import type { PlannedPackage, Ports } from './ports.ts'
import type { ResolveDeps } from './resolve.ts'
import { store } from './store.ts'

export interface InstallOptions {
  /** Nothing that orla.lock does not say. */
  readonly frozen: boolean
  readonly offline: boolean
  /** Plan only. */
  readonly dryRun: boolean
  /** Install again what is there already. */
  readonly force: boolean
  readonly test: boolean
}

export interface InstallDeps extends Omit<ResolveDeps, 'offline' | 'warn'> {
  readonly git: GitCache
  readonly places: Places
  readonly ports: Ports
  readonly token: (registry: Registry, url: string) => string | undefined
  readonly signal?: AbortSignal
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
  const { places, ports } = deps
  const stagings: Staging[] = []
  try {
    const candidates = await gather(wanted, options, deps, stagings)
    for (const { manifest } of candidates) checkPrograms(manifest, ports.programVersion)
    checkAgainstLock(candidates, readLock(places.lockFile), options.frozen)
    const planned = candidates.map((candidate) => plan(candidate, options, places))
    if (options.dryRun) return { planned, installed: [] }
    if (!(await ports.consent({ packages: planned }))) {
      throw new OrlaError('E_REFUSED', 'nothing was installed', { hint: '--yes accepts the plan' })
    }
    if (options.test) await runTests(candidates, planned, ports)
    const installed = await withFolderLock(
      join(places.toolsDir, '.orla-lock'),
      async () => {
        sweepStaging(places.toolsDir)
        return store(candidates, planned, places, ports)
      },
      {
        onWait: (pid) => ports.warn(`waiting for another install (pid ${pid})`),
        ...(deps.signal ? { signal: deps.signal } : {}),
      },
    )
    return { planned, installed }
  } finally {
    for (const staging of stagings) staging.discard()
  }
}

function plan(
  { manifest, pin, digest, requiredBy }: Candidate,
  options: InstallOptions,
  places: Places,
): PlannedPackage {
  const { name, version } = manifest
  const there = installedVersions(places.toolsDir, name)
  const same = there.find((one) => one.version === version)
  const isUnchanged = same?.receipt?.digest === digest && !same.linked
  const permissions = manifest.permissions ?? []
  const accepted = there.flatMap((one) => one.receipt?.permissions ?? [])
  return {
    name,
    version,
    action: same === undefined ? 'install' : isUnchanged && !options.force ? 'keep' : 'reinstall',
    from: sourceOf(pin),
    folder: join(places.toolsDir, name, version),
    permissions,
    newPermissions: addedPermissions(accepted, permissions),
    hooks: manifest.hooks.postInstall === undefined ? [] : [manifest.hooks.postInstall],
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}

async function runTests(
  candidates: readonly Candidate[],
  planned: readonly PlannedPackage[],
  ports: Ports,
): Promise<void> {
  for (const [index, { manifest, staging }] of candidates.entries()) {
    if (planned[index]?.action === 'keep') continue
    ports.progress(manifest.name, 'testing')
    const failed = await ports.runTests(staging.dir, manifest)
    if (failed.length === 0) continue
    throw new OrlaError(
      'E_TESTS',
      `${manifest.name} ${manifest.version} fails its own tests:\n${failed.join('\n')}`,
      {
        hint: '--no-test installs it all the same',
      },
    )
  }
}
