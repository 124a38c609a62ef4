import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute } from 'node:path'
import { realPath, type SandboxPlace } from '../../platform/index.ts'
import type { Subject } from '../../runtime/index.ts'
import type { LoadedConfig } from '../config.ts'
import type { World } from '../world.ts'

interface Own {
  /** Where that is not the project. */
  readonly workspace?: string
  readonly state: string
}

/** Where the files lie that permission words are about. */
export function placeOf(
  { origin }: Subject,
  world: World,
  { root, home, config }: LoadedConfig,
  { workspace = root, state }: Own,
): SandboxPlace {
  const orlaHome = realPath(home)
  return {
    package: realPath(origin.kind === 'package' ? origin.folder : dirname(origin.file)),
    workspace: realPath(workspace),
    state,
    home: realPath(world.env.HOME || homedir()),
    toolsFolder: realPath(config.toolsDir),
    orlaHome,
    programFolders: [...new Set((world.env.PATH ?? '').split(delimiter).filter(isAbsolute).map(realPath))],
  }
}
