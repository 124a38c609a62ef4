import { join } from 'node:path'
import { OrlaError } from '../../model/index.ts'
import { installedVersions } from '../../packages/index.ts'
import { listFolder } from '../../platform/index.ts'
import { type ConfigRequest, loadConfig } from '../config.ts'
import type { World } from '../world.ts'

/** Packages installed for every project, which the commands of a project leave alone. None outside of one. */
export async function everyonesPackages(world: World, request: ConfigRequest): Promise<string[]> {
  const { file, home, config } = await loadConfig(world, request)
  const shared = join(home, 'tools')
  if (file === null || config.toolsDir === shared) return []
  return listFolder(shared).filter(
    (name) => !name.startsWith('.') && installedVersions(shared, name).length > 0,
  )
}

/** Does `work`; that a package was not found means something else when it is installed for every project. */
export async function orEveryones<T>(
  world: World,
  request: ConfigRequest,
  words: readonly string[],
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OrlaError) || error.code !== 'E_NOT_FOUND') throw error
    const everyones = await everyonesPackages(world, request)
    const { config } = await loadConfig(world, request)
    const name = words
      .map((word) => word.split('@', 1)[0] ?? word)
      .find((one) => everyones.includes(one) && installedVersions(config.toolsDir, one).length === 0)
    if (name === undefined) throw error
    throw new OrlaError('E_NOT_FOUND', `${name} is installed for every project, not in this one`, {
      hint: 'repeat the command with --global',
      cause: error,
    })
  }
}
