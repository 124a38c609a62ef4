import type { ServerRecord } from '../model/index.ts'
import { OrlaError } from '../model/index.ts'
import { signalProcess, waitUntil } from '../platform/index.ts'
import { type ConfigRequest, locateProject } from './config.ts'
import { readRecords } from './server-record.ts'
import type { World } from './world.ts'

/** Tells every running server of this project to reload and waits for what came of it. */
export async function reloadServers(world: World, request: ConfigRequest): Promise<ServerRecord[]> {
  // Only the place is needed: a configuration that is broken right now is for the server to report.
  const { root, file, home } = locateProject(world, request)
  const port = request.flags.port === undefined ? undefined : Number(request.flags.port)
  const running = readRecords(home)
  const servers = running.filter((server) =>
    port === undefined ? server.root === root && server.config === file : portOf(server) === port,
  )
  if (servers.length === 0) {
    const others = running.map((server) => `${server.url ?? 'stdio'} in ${server.root}`)
    throw new OrlaError(
      'E_NO_SERVER',
      port === undefined ? `no server of ${root} is running` : `no server on port ${port} is running`,
      {
        hint: others.length > 0 ? `running: ${others.join(', ')}` : '`orla` starts one',
      },
    )
  }
  return Promise.all(servers.map((server) => reloadOne(home, server)))
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

function portOf(server: ServerRecord): number | undefined {
  return server.url === null ? undefined : Number(new URL(server.url).port)
}
