import type { ServerRecord } from '../model/index.ts'
import { OrlaError } from '../model/index.ts'
import { signalProcess, waitUntil } from '../platform/index.ts'
import { type ConfigRequest, locateProject } from './config.ts'
import { findServers } from './find-servers.ts'
import { readRecords } from './server-record.ts'
import type { World } from './world.ts'

/** Tells every running server of this project to reload and waits for what came of it. */
export async function reloadServers(world: World, request: ConfigRequest): Promise<ServerRecord[]> {
  const { home } = locateProject(world, request)
  return Promise.all(findServers(world, request).map((server) => reloadOne(home, server)))
}

/** The same for every server of this user, where something changed that any of them may go by. */
export async function reloadAllServers(home: string): Promise<void> {
  // One that does not manage hears of it with its next reload, and its log says what is wrong.
  await Promise.allSettled(readRecords(home).map((server) => reloadOne(home, server)))
}

async function reloadOne(home: string, server: ServerRecord): Promise<ServerRecord> {
  signalProcess(server.pid, 'SIGHUP')
  const after = await waitUntil(() => {
    const now = readRecords(home).find((record) => record.pid === server.pid)
    if (now === undefined)
      throw new OrlaError('E_RELOAD', `the server (pid ${server.pid}) ended while it reloaded`)
    return now.generation > server.generation ? now : undefined
  }, 10_000)
  if (after) return after
  throw new OrlaError('E_RELOAD', `the server (pid ${server.pid}) did not answer within 10 s`, {
    hint: 'its log tells more',
  })
}
