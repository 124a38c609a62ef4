import type { ConfigRequest } from './config.ts'
import type { updateNotice } from './packages/update-notice.ts'
import type { World } from './world.ts'

/** Packages with newer versions, at most once a day. Most who list tools do not pay for the code that asks. */
export async function newerPackages(world: World, request: ConfigRequest): ReturnType<typeof updateNotice> {
  return (await import('./packages/update-notice.ts')).updateNotice(world, request)
}
