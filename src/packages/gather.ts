import { join } from 'node:path'
import { satisfies } from '../formats/index.ts'
import { type LockEntry, type Manifest, OrlaError, type Pin } from '../model/index.ts'
import { openStaging, type Staging } from '../platform/index.ts'
import { checkPackage } from './check.ts'
import { type ToolRequirement, toolRequirements } from './dependencies.ts'
import { fetchTree } from './fetch.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { installedVersions } from './installed.ts'
import { type Resolved, resolveSpec } from './resolve.ts'
import type { Spec } from './spec.ts'

/** A package that is fetched and checked, but not yet where it belongs. */
export interface Candidate {
  readonly manifest: Manifest
  readonly pin: Pin
  readonly digest: string
  readonly manifestSha256: string
  readonly staging: Staging
  readonly requiredBy?: string
}

/** Asked for by someone, or by orla.lock. */
export type Wanted = { readonly spec: Spec } | { readonly locked: LockEntry }

interface Step {
  readonly wanted: Wanted
  /** Who needs it: names from what was asked for down to this. */
  readonly path: readonly string[]
}

/** Fetches what is wanted, then what that needs, until nothing is missing. */
export async function gather(
  wanted: readonly Wanted[],
  options: InstallOptions,
  deps: InstallDeps,
  stagings: Staging[],
): Promise<Candidate[]> {
  const found: Candidate[] = []
  for (let wave: Step[] = wanted.map((one) => ({ wanted: one, path: [] })); wave.length > 0; ) {
    const fetched = await inParallel(wave, (step) => fetchOne(step, options, deps, stagings))
    const next: Step[] = []
    for (const [index, candidate] of fetched.entries()) {
      if (!addOnce(found, candidate)) continue
      const path = [...(wave[index]?.path ?? []), candidate.manifest.name]
      for (const need of toolRequirements(candidate.manifest)) {
        if (path.includes(need.name)) {
          throw new OrlaError('E_DEPENDENCY', `packages need each other: ${[...path, need.name].join(' → ')}`)
        }
        if (!isInstalled(need, deps)) next.push({ wanted: { spec: { kind: 'name', name: need.name } }, path })
      }
    }
    wave = next
  }
  for (const candidate of found) checkNeeds(candidate, found, deps)
  return found
}

/** False when it is there already. The same package in two versions only because it was asked for. */
function addOnce(found: Candidate[], candidate: Candidate): boolean {
  const { name, version } = candidate.manifest
  const twins = found.filter((one) => one.manifest.name === name)
  if (twins.some((one) => one.manifest.version === version)) return false
  found.push(candidate)
  return true
}

function isInstalled(need: ToolRequirement, { places }: InstallDeps): boolean {
  return installedVersions(places.toolsDir, need.name).some(({ version }) => satisfies(need, version))
}

function checkNeeds({ manifest }: Candidate, found: readonly Candidate[], deps: InstallDeps): void {
  for (const need of toolRequirements(manifest)) {
    const brought = found.filter((one) => one.manifest.name === need.name).map((one) => one.manifest.version)
    if (brought.some((version) => satisfies(need, version)) || isInstalled(need, deps)) continue
    throw new OrlaError(
      'E_DEPENDENCY',
      `${manifest.name} ${manifest.version} needs ${need.written}; there is ${brought.join(', ') || 'none'}`,
    )
  }
}

async function fetchOne(
  step: Step,
  options: InstallOptions,
  deps: InstallDeps,
  stagings: Staging[],
): Promise<Candidate> {
  const { wanted, path } = step
  const label = 'spec' in wanted ? labelOf(wanted.spec) : wanted.locked.name
  const progress = (state: string) => deps.ports.progress(label, state)
  progress('resolving')
  const resolved =
    'spec' in wanted
      ? await resolveSpec(wanted.spec, { ...deps, offline: options.offline, warn: deps.ports.warn })
      : resolvedOf(wanted.locked, deps)
  const staging = openStaging(deps.places.toolsDir)
  stagings.push(staging)
  const token = tokenOf(resolved, deps)
  const pin = await fetchTree(resolved, staging, { git: deps.git, offline: options.offline, token, progress })
  progress('checking')
  const { manifest, problems, digest, manifestSha256 } = await checkPackage(staging.dir)
  for (const problem of problems) {
    if (problem.severity === 'warning') deps.ports.warn(`${label}: ${problem.message}`)
  }
  if (manifest === undefined) throw broken(label, staging, problems)
  if ('locked' in wanted) checkLocked(wanted.locked, manifest, pin, digest)
  checkIdentity(manifest, resolved)
  const requiredBy = path.at(-1)
  return {
    manifest,
    pin,
    digest,
    manifestSha256,
    staging,
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}

/** From the address, or of the registry when the repository is on its host. */
function tokenOf(resolved: Resolved, deps: InstallDeps): string | undefined {
  if (resolved.kind !== 'git') return undefined
  return resolved.token ?? (resolved.origin && deps.token(resolved.origin.registry, resolved.url))
}

function labelOf(spec: Spec): string {
  switch (spec.kind) {
    case 'name':
      return spec.name
    case 'git':
    case 'download':
      return spec.url
    case 'local':
      return spec.path
  }
}

function resolvedOf({ name, pin }: LockEntry, { registries }: InstallDeps): Resolved {
  if (pin.kind === 'directory') return { kind: 'local', path: pin.path }
  const registry = registries.find(({ url }) => url === pin.registry)
  const origin = registry === undefined ? {} : { origin: { registry, name } }
  if (pin.kind === 'git') return { kind: 'git', url: pin.url, tag: pin.tag, commit: pin.commit, ...origin }
  if (/^https?:/i.test(pin.from)) return { kind: 'download', url: pin.from, sha256: pin.sha256, ...origin }
  return { kind: 'local', path: pin.from }
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

/** Tag = v + version, and the name the registry promised. */
function checkIdentity(manifest: Manifest, resolved: Resolved): void {
  if (resolved.kind === 'git' && resolved.tag !== `v${manifest.version}`) {
    throw new OrlaError(
      'E_PACKAGE',
      `the tag ${resolved.tag} of ${resolved.url} holds version ${manifest.version} of ${manifest.name}`,
      {
        hint: `its author must tag v${manifest.version}, or correct tool.yaml`,
      },
    )
  }
  const origin = resolved.kind === 'local' ? undefined : resolved.origin
  if (origin !== undefined && origin.name !== manifest.name) {
    throw new OrlaError(
      'E_PACKAGE',
      `the registry \`${origin.registry.name}\` says \`${origin.name}\`, but the package calls itself \`${manifest.name}\``,
    )
  }
}

function checkLocked(locked: LockEntry, manifest: Manifest, pin: Pin, digest: string): void {
  if (locked.name !== manifest.name || locked.version !== manifest.version) {
    throw new OrlaError(
      'E_LOCK',
      `orla.lock says ${locked.name} ${locked.version}, but there is ${manifest.name} ${manifest.version} now`,
    )
  }
  // A folder on this machine is whatever it is now.
  if (pin.kind === 'directory' || locked.digest === digest) return
  throw new OrlaError(
    'E_CHECKSUM',
    `${locked.name} ${locked.version} is not what orla.lock remembers\nlocked ${locked.digest}\nnow    ${digest}`,
  )
}

const AT_ONCE = 4

/** Results in the order of the inputs. The first failure ends it once those under way are done. */
async function inParallel<I, O>(inputs: readonly I[], work: (input: I) => Promise<O>): Promise<O[]> {
  const results: O[] = []
  let next = 0
  let failed = false
  const worker = async () => {
    for (let index = next++; index < inputs.length && !failed; index = next++) {
      try {
        results[index] = await work(inputs[index] as I) // below the length
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, inputs.length) }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
  return results
}
