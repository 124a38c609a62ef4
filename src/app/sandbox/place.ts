import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { realPath, type SandboxPlace } from '../../platform/index.ts'
import type { Subject } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { World } from '../world.ts'

/** Where the files lie that permission words are about. `workspace`: where that is not the project. */
export function placeOf(
  { name, origin }: Subject,
  world: World,
  { root, home, config }: LoadedConfig,
  workspace = root,
): SandboxPlace {
  const orlaHome = realPath(home)
  const isPackage = origin.kind === 'package'
  return {
    package: realPath(isPackage ? origin.folder : dirname(origin.file)),
    workspace: realPath(workspace),
    state: isPackage ? join(orlaHome, 'state', origin.package.name) : join(orlaHome, 'state', 'loose', name),
    home: realPath(world.env.HOME || homedir()),
    toolsFolder: realPath(config.toolsDir),
    orlaHome,
    programFolders: [...new Set((world.env.PATH ?? '').split(delimiter).filter(isAbsolute).map(realPath))],
  }
}
