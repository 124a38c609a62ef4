import { watchAudience } from '../platform/index.ts'
import { launcherOf } from './starter.ts'
import type { World } from './world.ts'

/**
 * For a stdio client that has sent all it had: tells when it does not read either, so that nothing runs on for nobody.
 * Without a launcher that is noticed when something is written.
 */
export function watchClient(world: World, onGone: () => void): { close(): void } | undefined {
  const path = launcherOf(world)
  if (path === undefined || world.stdoutFd === undefined) return undefined
  try {
    return watchAudience(path, world.stdoutFd, onGone)
  } catch {
    return undefined // No descriptor or no process is left: then it ends with the grace.
  }
}
