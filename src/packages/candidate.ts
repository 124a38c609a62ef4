import { join } from 'node:path'
import { isToolId } from '../formats/index.ts'
import { type Manifest, OrlaError, type Pin, type Signature } from '../model/index.ts'
import { copyTree, openArchiveCache, openStaging, type Staging, type TreeFile } from '../platform/index.ts'
import { toolsCalledBy } from './called-tools.ts'
import { enforceSignature, signatureOf } from './candidate-signature.ts'
import { checkPackage } from './check.ts'
import { checkDowngrade } from './downgrade.ts'
import { fetchTree } from './fetch.ts'
import { checkIdentity, checkLocked } from './identity.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { mcpDirOf, rootOf } from './layout.ts'
import { checkMoved } from './lock.ts'
import { readLocks } from './locks.ts'
import { fitsAll, noneFits } from './needs.ts'
import type { Places } from './places.ts'
import type { Circumstances, Resolved } from './resolve.ts'
import { bringsTests } from './tests-brought.ts'
import { NO_TRUST } from './trust.ts'
import { labelOf, resolveWanted, type Wanted } from './wanted.ts'

/** A package that is fetched and checked, but not yet where it belongs. */
export interface Candidate {
  readonly manifest: Manifest
  readonly pin: Pin
  readonly digest: string
  /** The text behind the digest. */
  readonly listing: string
  readonly manifestSha256: string
  /** It brings tests that can run without asking anyone else. */
  readonly bringsTests: boolean
  readonly signature: Signature
  /** What whoever installs it should know of its signature. */
  readonly warning?: string
  readonly staging: Staging
  /** Nobody asked for exactly this version: another one may take its place. */
  readonly isFree: boolean
  readonly requiredBy?: string
  /** The tools its chain calls; empty for everything that is no chain. */
  readonly calls: readonly string[]
  readonly step: Step
}

/** What a candidate is fetched for. */
export interface Step extends Circumstances {
  readonly wanted: Wanted
  /** Its place among what was asked for; undefined for what only others need. */
  readonly asked?: number
  /** The chain that calls it. */
  readonly calledBy?: string
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
  const staging = openStagingFor(
    options.dryRun ? undefined : likelyRoot(resolved, deps.places),
    deps,
    stagings,
  )
  const token = tokenOf(resolved, deps)
  let tag: Buffer | undefined
  let known: readonly TreeFile[] = []
  const pin = await fetchTree(resolved, staging, {
    git: deps.git,
    offline: options.offline,
    archives: openArchiveCache(join(deps.places.cacheDir, 'archives')),
    token,
    progress,
    onTag: (content) => {
      tag = content
    },
    onListed: (files) => {
      known = files
    },
    ...(deps.signal === undefined ? {} : { signal: deps.signal }),
  })
  progress('checking')
  checkMoved(pin, readLocks(deps.places))
  const { manifest, mcpkg, problems, paths, ...checked } = await checkPackage(staging.dir, {
    schemas: deps.schemas,
    known,
  })
  for (const problem of problems) {
    if (problem.severity === 'warning') deps.ports.warn(`${label}: ${problem.message}`)
  }
  if (manifest === undefined) throw broken(label, staging, problems)
  if ('locked' in wanted) checkLocked(wanted.locked, manifest, pin, checked.digest)
  // From here on it goes by its name.
  if (label !== manifest.name) progress('')
  checkForm(manifest, resolved)
  checkIdentity(manifest, resolved, 'update' in wanted ? wanted.update.name : undefined)
  if (!fitsAll(needs, manifest.version)) throw noneFits(manifest.name, needs, [manifest.version])
  const { trust = NO_TRUST } = deps
  const lock = readLocks(deps.places)
  const signed = { manifest, pin, digest: checked.digest, folder: staging.dir, ...(tag && { tag }) }
  const signature = signatureOf(signed, trust, lock)
  const warning = enforceSignature(signed, signature, trust, lock)
  if (!options.allowDowngrade && needs.length === 0) checkDowngrade(wanted, manifest, lock)
  const requiredBy = step.asked === undefined ? (needs[0]?.by.name ?? step.calledBy) : undefined
  return {
    manifest,
    pin,
    ...checked,
    bringsTests: bringsTests(mcpkg, paths),
    signature,
    ...(warning !== undefined && { warning }),
    staging: options.dryRun ? staging : atHome(staging, manifest.name, resolved, deps, stagings),
    isFree: 'spec' in wanted && wanted.spec.kind === 'name' && wanted.spec.tag === undefined,
    calls: toolsCalledBy(mcpkg),
    step,
    ...(requiredBy === undefined ? {} : { requiredBy }),
  }
}

/** A plan alone leaves nothing in the project, not even an empty folder of tools. */
function openStagingFor(root: string | undefined, { places }: InstallDeps, stagings: Staging[]): Staging {
  const staging = openStaging(root ?? places.cacheDir)
  stagings.push(staging)
  return staging
}

/** Where it will probably belong, so that it need not be copied later. */
function likelyRoot(resolved: Resolved, places: Places): string {
  const name = resolved.kind === 'local' ? undefined : resolved.origin?.name
  return isMcpkgFile(resolved) || (name !== undefined && isToolId(name)) ? mcpDirOf(places) : places.toolsDir
}

function isMcpkgFile(resolved: Resolved): boolean {
  if (resolved.kind === 'git') return false
  return /\.mcpkg$/i.test(resolved.kind === 'local' ? resolved.path : new URL(resolved.url).pathname)
}

/** What calls itself .mcpkg is one. */
function checkForm({ name }: Manifest, resolved: Resolved): void {
  if (!isMcpkgFile(resolved) || isToolId(name)) return
  throw new OrlaError(
    'E_PACKAGE',
    `it is called .mcpkg, but holds the package \`${name}\` with a tool.yaml`,
    {
      hint: 'its author packs it with `orla pack`',
    },
  )
}

/** What is staged lies on the disk where it belongs, so that it gets there by one rename. */
function atHome(
  staging: Staging,
  name: string,
  resolved: Resolved,
  deps: InstallDeps,
  stagings: Staging[],
): Staging {
  const root = rootOf(deps.places, name)
  if (root === likelyRoot(resolved, deps.places)) return staging
  const other = openStagingFor(root, deps, stagings)
  copyTree(staging.dir, other.dir)
  staging.discard()
  return other
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
      // Of the package as a whole; where it was unpacked means nothing to anyone.
      const place =
        file === staging.dir ? '' : `${file.replace(join(staging.dir, '/'), '')}:${line}:${column}: `
      return `${place}${message}${hint === undefined ? '' : ` (${hint})`}`
    })
  return new OrlaError('E_PACKAGE', `${label} is not a package that can be installed:\n${lines.join('\n')}`)
}
