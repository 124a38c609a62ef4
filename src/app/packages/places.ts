import { join } from 'node:path'
import type { Places } from '../../packages/index.ts'
import type { LoadedConfig } from '../config.ts'

/** The project's tools folder when an orla.yaml governs, else the global one. */
export function placesOf({ file, root, home, config }: LoadedConfig): Places {
  const cacheDir = join(home, 'cache')
  return file === null
    ? {
        scope: 'global',
        toolsDir: join(home, 'tools'),
        mcpDir: join(root, '.mcp'),
        lockFile: join(home, 'orla.lock'),
        home,
        cacheDir,
      }
    : { scope: 'project', toolsDir: config.toolsDir, lockFile: join(root, 'orla.lock'), home, cacheDir }
}
