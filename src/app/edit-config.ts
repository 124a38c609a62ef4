import { dirname, join } from 'node:path'
import { makeFolder, readTextIfThere, withFolderLock, writeFileAtomic } from '../platform/index.ts'
import { type ConfigRequest, type LoadedConfig, loadConfig } from './config.ts'
import type { World } from './world.ts'

/**
 * Changes the configuration file in force: the project's, else the user's. One change at a time on this machine,
 * each on what the one before left. Resolves to the file.
 */
export async function editConfig(
  world: World,
  request: ConfigRequest,
  change: (source: string, loaded: LoadedConfig) => Promise<string>,
): Promise<string> {
  const { home } = await loadConfig(world, request)
  return withFolderLock(join(home, 'config-lock'), async () => {
    const loaded = await loadConfig(world, request)
    const file = loaded.file ?? join(home, 'config.yaml')
    const source = readTextIfThere(file) ?? ''
    const changed = await change(source, loaded)
    if (changed === source) return file
    makeFolder(dirname(file))
    writeFileAtomic(file, changed)
    return file
  })
}
