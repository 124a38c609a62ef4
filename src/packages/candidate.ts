import { join } from 'node:path'
import { type Manifest, OrlaError, type Pin } from '../model/index.ts'
import { openStaging, type Staging } from '../platform/index.ts'
import { checkPackage } from './check.ts'
import { fetchTree } from './fetch.ts'
import { checkIdentity, checkLocked } from './identity.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { fitsAll, noneFits } from './needs.ts'
import type { Circumstances, Resolved } from './resolve.ts'
import { labelOf, resolveWanted, type Wanted } from './wanted.ts'

/** A package that is fetched and checked, but not yet where it belongs. */
export interface Candidate {
  readonly manifest: Manifest
  readonly pin: Pin
  readonly digest: string
  readonly manifestSha256: string
  /** Of its files. */
  readonly paths: readonly string[]
  readonly staging: Staging
  /** Nobody asked for exactly this version: another one may take its place. */
  readonly isFree: boolean
  readonly requiredBy?: string
  readonly step: Step
}

/** What a candidate is fetched for. */
export interface Step extends Circumstances {
  readonly wanted: Wanted
  /** Its place among what was asked for; undefined for what only others need. */
  readonly asked?: number
}

/** Fetches one package into a staging folder of its own, and checks it. */
export async function fetchCandidate(
  step: Step,
  options: InstallOptions,
  deps: InstallDeps,
  stagings: Staging[],
): Promise<Candidate> {
  const { wanted, needs } = step
  const label = labelOf(wanted)
  const progress = (state: string) => deps.ports.progress(label, state)
  progress('resolving')
  const resolved = await resolveWanted(wanted, step, options, deps)
  // A plan alone leaves nothing in the project, not even an empty folder of tools.
  const staging = openStaging(options.dryRun ? deps.places.cacheDir : deps.places.toolsDir)
  stagings.push(staging)
  const token = tokenOf(resolved, deps)
  const pin = await fetchTree(resolved, staging, {
    git: deps.git,
    offline: options.offline,
    token,
    progress,
    ...(deps.signal === undefined ? {} : { signal: deps.signal }),
  })
  progress('checking')
  const { manifest, problems, ...checked } = await checkPackage(staging.dir)
  for (const problem of problems) {
    if (problem.severity === 'warning') deps.ports.warn(`${label}: ${problem.message}`)
  }
  if (manifest === undefined) throw broken(label, staging, problems)
  if ('locked' in wanted) checkLocked(wanted.locked, manifest, pin, checked.digest)
  checkIdentity(manifest, resolved, 'update' in wanted ? wanted.update.name : undefined)
  if (!fitsAll(needs, manifest.version)) throw noneFits(manifest.name, needs, [manifest.version])
  const requiredBy = step.asked === undefined ? needs[0]?.by.name : undefined
  return {
    manifest,
    pin,
    ...checked,
    staging,
    isFree: 'spec' in wanted && wanted.spec.kind === 'name' && wanted.spec.tag === undefined,
    step,
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}

/** Of the registry, when the repository is on its host. */
function tokenOf(resolved: Resolved, deps: InstallDeps): string | undefined {
  if (resolved.kind !== 'git' || resolved.address !== undefined || !resolved.origin) return undefined
  return deps.token(resolved.origin.registry, resolved.url)
}

function broken(
  label: string,
  staging: Staging,
  problems: readonly {
    file: string
    line: number
    column: number
    message: string
    hint?: string
    severity: string
  }[],
): OrlaError {
  const lines = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, column, message, hint }) => {
      const place = file.replace(join(staging.dir, '/'), '')
      return `${place}:${line}:${column}: ${message}${hint === undefined ? '' : ` (${hint})`}`
    })
  return new OrlaError('E_PACKAGE', `${label} is not a package that can be installed:\n${lines.join('\n')}`)
}
