import type { Log } from '../model/index.ts'
import {
  createLauncherStarter,
  createNodeStarter,
  findLauncher,
  type ProcessStarter,
} from '../platform/index.ts'
import type { World } from './world.ts'

/** The launcher where there is one, else Node itself: the same promises, more slowly. */
export function createStarter(world: World, log?: Log): ProcessStarter {
  const path = launcherOf(world)
  if (path === undefined) return createNodeStarter()
  return createLauncherStarter({
    path,
    onProblem: (message) => log?.warn('the launcher cannot be used', { launcher: path, error: message }),
  })
}

export function launcherOf({ env, folder }: World): string | undefined {
  return findLauncher({ wanted: env.ORLA_LAUNCHER, folder })
}
