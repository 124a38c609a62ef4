import { join } from 'node:path'
import type { Where } from '../catalog/index.ts'
import type { LoadedConfig } from './config.ts'
import { openIntegrity } from './integrity/integrity.ts'
import { type OfferedTools, openOfferedTools } from './offered-tools.ts'

/** Where the tools of a configuration are. */
export function whereOf(
  loaded: LoadedConfig,
  offered: OfferedTools = openOfferedTools(loaded.home),
  integrity = openIntegrity(loaded.home),
): Where {
  const { config, root, home, mcpkg } = loaded
  return {
    toolsDir: config.toolsDir,
    globalDir: config.globalTools ? join(home, 'tools') : null,
    versions: config.versions,
    cwd: root,
    offered: (capsule) => offered.of(capsule),
    mcpkg,
    guard: integrity.guard(loaded, offered),
    cacheDir: join(home, 'cache', 'catalog'),
  }
}
