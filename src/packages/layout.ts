import { dirname, join } from 'node:path'
import { isToolId, newestVersion } from '../formats/index.ts'
import { installedVersions } from './installed.ts'
import type { Places } from './places.ts'

/** Where the .mcpkg packages of a place live: tools/ID is the current version, store/ID/VERSION another one. */
export function mcpDirOf({ mcpDir, lockFile }: Places): string {
  return mcpDir ?? join(dirname(lockFile), '.mcp')
}

/** The folder below which all versions of a package are. */
export function rootOf(places: Places, name: string): string {
  return isToolId(name) ? mcpDirOf(places) : places.toolsDir
}

/** Where a version of a package is, or goes. The newest .mcpkg is the current one: an older one does not replace it. */
export function folderOf(places: Places, name: string, version: string): string {
  const root = rootOf(places, name)
  const versions = installedVersions(root, name)
  const there = versions.find((one) => one.version === version)
  if (there !== undefined) return there.folder
  if (!isToolId(name)) return join(root, name, version)
  const current = currentFolder(places, name)
  const other = versions.find(({ folder }) => folder === current)
  const isCurrent = other === undefined || newestVersion([version, other.version]) === version
  return isCurrent ? current : join(root, 'store', name, version)
}

/** Of an .mcpkg. */
export function currentFolder(places: Places, toolId: string): string {
  return join(mcpDirOf(places), 'tools', toolId)
}
