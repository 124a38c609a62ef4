import { effectivePermissions } from '../../formats/index.ts'
import type { Grant } from '../../model/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import { findPackages } from '../packages/found.ts'
import type { World } from '../world.ts'
import { openGrants } from './book.ts'
import { findGrant, nothingAbout } from './wanted.ts'

export interface ListedGrants {
  readonly grants: readonly Grant[]
  /** Installed here, and accepted by nobody. */
  readonly waiting: readonly WaitingPackage[]
}

export interface WaitingPackage {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly permissions: readonly string[]
}

export async function listGrants(world: World, request: ConfigRequest, name?: string): Promise<ListedGrants> {
  const loaded = await loadConfig(world, request)
  const all = openGrants(loaded.home).all()
  const waiting = (await findPackages(loaded)).filter(
    ({ manifest, digest }) => digest !== undefined && findGrant(all, manifest, digest) === undefined,
  )
  const isWanted = (one: { readonly name: string }) => name === undefined || one.name === name
  const listed = {
    grants: all.filter(isWanted),
    waiting: waiting
      .map(({ manifest, folder }) => ({
        name: manifest.name,
        version: manifest.version,
        folder,
        permissions: effectivePermissions(manifest.permissions),
      }))
      .filter(isWanted),
  }
  if (name === undefined || listed.grants.length + listed.waiting.length > 0) return listed
  throw nothingAbout(
    name,
    [...all, ...waiting.map(({ manifest }) => manifest)].map((one) => one.name),
  )
}
