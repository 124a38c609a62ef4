import type { Log } from '../model/index.ts'
import {
  createLauncherStarter,
  createNodeStarter,
  findLauncher,
  type LauncherStarter,
  type ProcessStarter,
} from '../platform/index.ts'
import type { World } from './world.ts'

/** What starts programs here, and once more where it is the launcher, which can do more. */
export interface Starters {
  readonly starter: ProcessStarter
  readonly launcher?: LauncherStarter
}

/** The launcher where there is one, else Node itself: the same promises, more slowly. */
export function createStarters(world: World, log?: Log): Starters {
  const path = launcherOf(world)
  if (path === undefined) return { starter: createNodeStarter() }
  const launcher = createLauncherStarter({
    path,
    onProblem: (message) => log?.warn('the launcher cannot be used', { launcher: path, error: message }),
  })
  return { starter: launcher, launcher }
}

export function launcherOf({ env, folder }: World): string | undefined {
  return findLauncher({ wanted: env.ORLA_LAUNCHER, folder })
}
