import { join } from 'node:path'
import { isToolId } from '../formats/index.ts'
import { copyTree, isFolder, moveAway, openStaging } from '../platform/index.ts'
import { installedVersions } from './installed.ts'
import { currentFolder, mcpDirOf } from './layout.ts'
import type { Places } from './places.ts'

/**
 * Keeps a copy of the current version of an .mcpkg before another one takes its place. A copy, because the current
 * one has to serve until the very moment it is replaced. Resolves to what takes the copy away again.
 */
export async function shelve(
  places: Places,
  name: string,
  version: string,
  folder: string,
): Promise<() => void> {
  const nothing = () => {}
  if (!isToolId(name) || folder !== currentFolder(places, name)) return nothing
  const mcpDir = mcpDirOf(places)
  const current = installedVersions(mcpDir, name).find((one) => one.folder === folder)
  if (current === undefined || current.linked || current.version === version) return nothing
  const shelf = join(mcpDir, 'store', name, current.version)
  const isNew = !isFolder(shelf)
  const staging = openStaging(mcpDir)
  try {
    copyTree(folder, staging.dir)
    await staging.commit(shelf)
  } finally {
    staging.discard()
  }
  return isNew ? () => moveAway(mcpDir, shelf) : nothing
}
