import { join } from 'node:path'
import type { Where } from '../catalog/index.ts'
import type { LoadedConfig } from './config.ts'

/** Where the tools of a configuration are. */
export function whereOf({ config, root, home }: LoadedConfig): Where {
  return {
    toolsDir: config.toolsDir,
    globalDir: config.globalTools ? join(home, 'tools') : null,
    versions: config.versions,
    cwd: root,
  }
}
