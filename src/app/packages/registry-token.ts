import type { Registry } from '../../model/index.ts'
import { originOf } from '../../platform/index.ts'
import type { World } from '../world.ts'

/** The variable that holds the token of a registry. */
export function tokenVariable(name: string): string {
  return `ORLA_REGISTRY_TOKEN_${name.toUpperCase().replaceAll('-', '_')}`
}

/** The token of a registry goes to its own host and to no other. */
export function tokenFor(world: World, registry: Registry, url: string): string | undefined {
  const value = world.env[tokenVariable(registry.name)]
  if (!value) return undefined
  const origin = originOf(registry.url)
  return origin !== undefined && origin === originOf(url) ? value : undefined
}
