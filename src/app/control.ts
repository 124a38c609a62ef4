import { join } from 'node:path'
import {
  type CapsuleControl,
  type CapsuleLogLine,
  type CapsuleStatus,
  ERRORS,
  type ErrorCode,
  isJsonObject,
  type Log,
  OrlaError,
  type ServerRecord,
} from '../model/index.ts'
import { askLocal, type LocalSocket, listenLocal, makeFolder } from '../platform/index.ts'
import type { ConfigRequest } from './config.ts'
import { findServers } from './find-servers.ts'
import type { World } from './world.ts'

type Operation = keyof CapsuleControl

type Reply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly hint?: string }

/** Lets commands of the same user reach a running server: `~/.orla/run/PID.sock`. */
export async function openControl(
  home: string,
  capsules: CapsuleControl,
  log: Log,
): Promise<LocalSocket | undefined> {
  try {
    makeFolder(join(home, 'run'))
    return await listenLocal(join(home, 'run', `${process.pid}.sock`), (request) => answer(capsules, request))
  } catch (error) {
    // A read-only home is no reason not to serve; only `orla capsule` will not reach this server.
    log.debug('cannot open the control socket', { error: (error as Error).message })
    return undefined
  }
}

async function answer(capsules: CapsuleControl, request: unknown): Promise<Reply> {
  try {
    return { ok: true, result: await perform(capsules, request) }
  } catch (error) {
    const known = error instanceof OrlaError ? error : undefined
    return {
      ok: false,
      code: known?.code ?? 'E_CAPSULE',
      message: (error as Error).message,
      ...(known?.hint === undefined ? {} : { hint: known.hint }),
    }
  }
}

function perform(capsules: CapsuleControl, request: unknown): unknown {
  const { operation, name } = isJsonObject(request) ? request : {}
  if (operation === 'list') return capsules.list()
  if (typeof name === 'string') {
    if (operation === 'start') return capsules.start(name)
    if (operation === 'stop') return capsules.stop(name)
    if (operation === 'restart') return capsules.restart(name)
    if (operation === 'logs') return capsules.logs(name)
  }
  throw new OrlaError('E_USAGE', 'this server does not know what was asked')
}

export interface ServerCapsules {
  readonly server: Pick<ServerRecord, 'pid' | 'url'>
  readonly capsules: readonly CapsuleStatus[]
}

/** The capsules of every running server of this project. */
export async function listCapsules(world: World, request: ConfigRequest): Promise<ServerCapsules[]> {
  return Promise.all(
    findServers(world, request).map(async (server) => ({
      server: { pid: server.pid, url: server.url },
      capsules: (await ask(server, 'list')) as readonly CapsuleStatus[], // what `perform` gives
    })),
  )
}

export async function commandCapsule(
  world: World,
  request: ConfigRequest,
  operation: 'start' | 'stop' | 'restart',
  name: string,
): Promise<CapsuleStatus[]> {
  return Promise.all(
    findServers(world, request).map(
      async (server) => (await ask(server, operation, name)) as CapsuleStatus, // what `perform` gives
    ),
  )
}

export async function capsuleLogs(
  world: World,
  request: ConfigRequest,
  name: string,
): Promise<CapsuleLogLine[]> {
  const all = await Promise.all(
    findServers(world, request).map(
      async (server) => (await ask(server, 'logs', name)) as CapsuleLogLine[], // what `perform` gives
    ),
  )
  return all.flat().sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
}

/** Longer than any start may take by default: a manifest can ask for more, and then the command is told so. */
const PATIENCE_MS = 60_000

async function ask(server: ServerRecord, operation: Operation, name?: string): Promise<unknown> {
  const where = `the server (pid ${server.pid})`
  if (server.control === null) {
    throw new OrlaError('E_NO_SERVER', `${where} cannot be reached: it could not open its control socket`, {
      hint: 'its home folder is read-only; restart it with ORLA_HOME set to another one',
    })
  }
  let reply: Reply
  try {
    reply = (await askLocal(server.control, { operation, name }, PATIENCE_MS)) as Reply // our own server's words
  } catch (error) {
    throw new OrlaError('E_NO_SERVER', `${where} did not answer: ${(error as Error).message}`, {
      hint: 'its log tells more',
      cause: error,
    })
  }
  if (reply.ok) return reply.result
  const code: ErrorCode = reply.code in ERRORS ? (reply.code as ErrorCode) : 'E_CAPSULE'
  throw new OrlaError(code, reply.message, reply.hint === undefined ? {} : { hint: reply.hint })
}
