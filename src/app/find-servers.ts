import { OrlaError, type ServerRecord } from '../model/index.ts'
import { type ConfigRequest, locateProject } from './config.ts'
import { readRecords } from './server-record.ts'
import type { World } from './world.ts'

/** The servers of this project that run, or the one on `--port`. None is an error that names the others. */
export function findServers(world: World, request: ConfigRequest): ServerRecord[] {
  // Only the place is needed: a configuration that is broken right now is for the server to report.
  const { root, file, home } = locateProject(world, request)
  const port = request.flags.port === undefined ? undefined : Number(request.flags.port)
  const running = readRecords(home)
  // A server that started before its orla.yaml was written, or named it otherwise, is still the one of this folder.
  const isMeant = (server: ServerRecord) =>
    server.root === root && (request.file === undefined || server.config === file)
  const servers = running.filter((server) => (port === undefined ? isMeant(server) : portOf(server) === port))
  if (servers.length > 0) return servers
  const others = running.map((server) => `${server.url ?? 'stdio'} in ${server.root}`)
  throw new OrlaError(
    'E_NO_SERVER',
    port === undefined ? `no server of ${root} is running` : `no server on port ${port} is running`,
    { hint: others.length > 0 ? `running: ${others.join(', ')}` : '`orla` starts one' },
  )
}

function portOf(server: ServerRecord): number | undefined {
  return server.url === null ? undefined : Number(new URL(server.url).port)
}
