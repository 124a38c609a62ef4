import type { LockEntry } from '../model/index.ts'
import { shownUrl } from '../platform/index.ts'
import type { InstallDeps, InstallOptions } from './install.ts'
import { type Circumstances, type ResolveDeps, type Resolved, resolveGit, resolveSpec } from './resolve.ts'
import type { Spec } from './spec.ts'
import { registryOf } from './trust-lock.ts'

/** Asked for by someone, or by orla.lock. */
export type Wanted =
  | { readonly spec: Spec }
  | { readonly locked: LockEntry }
  /** Another tag of what is locked: from the same repository and registry, under the same name. */
  | { readonly update: LockEntry; readonly tag: string }

/** Exactly what is to be fetched for it. */
export async function resolveWanted(
  wanted: Wanted,
  why: Circumstances,
  { offline }: InstallOptions,
  deps: InstallDeps,
): Promise<Resolved> {
  const resolveDeps = { ...deps, offline, warn: deps.ports.warn }
  if ('spec' in wanted) return resolveSpec(wanted.spec, resolveDeps, why)
  if ('update' in wanted) return resolveUpdate(wanted.update, wanted.tag, resolveDeps)
  return resolveLocked(wanted.locked, deps)
}

async function resolveUpdate(entry: LockEntry, tag: string, deps: ResolveDeps): Promise<Resolved> {
  const registry = registryOf(entry, deps.registries)
  if (entry.pin.kind !== 'git') throw new Error(`${entry.name} does not come from git`)
  const resolved = await resolveGit(entry.pin.url, tag, deps, registry)
  return registry === undefined ? resolved : { ...resolved, origin: { registry, name: entry.name } }
}

function resolveLocked(entry: LockEntry, { registries }: InstallDeps): Resolved {
  const { name, pin } = entry
  if (pin.kind === 'directory') return { kind: 'local', path: pin.path }
  const registry = registryOf(entry, registries)
  const origin = registry === undefined ? {} : { origin: { registry, name } }
  if (pin.kind === 'git') return { kind: 'git', url: pin.url, tag: pin.tag, commit: pin.commit, ...origin }
  if (/^https?:/i.test(pin.from)) return { kind: 'download', url: pin.from, sha256: pin.sha256, ...origin }
  return { kind: 'local', path: pin.from }
}

/** What people call it. */
export function labelOf(wanted: Wanted): string {
  if ('locked' in wanted) return wanted.locked.name
  if ('update' in wanted) return wanted.update.name
  const { spec } = wanted
  switch (spec.kind) {
    case 'name':
      return spec.name
    case 'git':
    case 'download':
      return shownUrl(spec.url)
    case 'local':
      return spec.path
  }
}
