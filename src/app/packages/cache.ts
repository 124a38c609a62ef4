import { join } from 'node:path'
import { folderBytes, removeFolder } from '../../platform/index.ts'
import { type ConfigRequest, locateProject } from '../config.ts'
import type { World } from '../world.ts'

/** Indexes and repositories; everything in it is fetched again when needed. */
export function cacheDir(world: World, request: ConfigRequest): string {
  return join(locateProject(world, request).home, 'cache')
}

export function cacheSize(world: World, request: ConfigRequest): number {
  return folderBytes(cacheDir(world, request))
}

export function clearCache(world: World, request: ConfigRequest): number {
  const folder = cacheDir(world, request)
  const bytes = folderBytes(folder)
  removeFolder(folder)
  return bytes
}
