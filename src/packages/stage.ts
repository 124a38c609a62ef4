import type { Manifest } from '../model/index.ts'
import { removeIfEmpty, type Staging, sweepStaging } from '../platform/index.ts'
import { toolsAround } from './called-tools.ts'
import { fetchCandidate } from './candidate.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { mcpDirOf } from './layout.ts'
import { plan } from './plan.ts'
import type { PlannedPackage } from './ports.ts'
import { trustLocked } from './trust-lock.ts'
import type { Wanted } from './wanted.ts'

/** A package that was fetched for a look at it. Nothing is installed. */
export interface StagedPackage {
  readonly manifest: Manifest
  readonly folder: string
  /** What an install of it would ask for. */
  readonly planned: PlannedPackage
  discard(): void
}

/** Fetched, trusted and checked like an install, into a place of its own that goes again. */
export async function stagePackage(
  wanted: Wanted,
  offline: boolean,
  deps: InstallDeps,
): Promise<StagedPackage> {
  const options: InstallOptions = { frozen: false, offline, dryRun: true, force: false, test: false }
  const stagings: Staging[] = []
  const discard = () => {
    for (const staging of stagings) staging.discard()
    removeIfEmpty(mcpDirOf(deps.places))
  }
  sweepStaging(deps.places.cacheDir)
  try {
    if ('update' in wanted) await trustLocked(wanted.update, deps)
    const candidate = await fetchCandidate({ wanted, asked: 0, needs: [] }, options, deps, stagings)
    const { manifest, staging } = candidate
    const tools = await toolsAround([candidate], deps.ports)
    const planned = await plan(candidate, options, deps, tools)
    return { manifest, folder: staging.dir, planned, discard }
  } catch (error) {
    discard()
    throw error
  }
}
