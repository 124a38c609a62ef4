import type { Readable } from 'node:stream'
import type { Catalog, Config } from '../model/index.ts'
import { isPipe, readPipe } from '../platform/index.ts'
import { listenHttp, type Readiness, type ServerDeps, serveStdio } from '../server/index.ts'
import type { HttpAccess } from './http-access.ts'
import type { World } from './world.ts'

/** The side of the server that clients see, whichever transport it is. */
export interface Front {
  readonly url: string | null
  toolsChanged(): void
  documentsChanged(): void
  promptsChanged(): void
  held(): readonly Catalog[]
  /** What clients are let in by from now on. */
  renew(access: HttpAccess): void
  /** A first client has seen what there is, or cannot wait for more. */
  readonly looked: Promise<void>
  stopAccepting(): void
  idle(): Promise<void>
  stats(): { readonly sessions: number; readonly connections: number }
  close(): Promise<void>
}

export function openFront(
  world: World,
  deps: ServerDeps,
  config: Config,
  access: HttpAccess,
  insecure: boolean,
  ready: Readiness,
  onEnd: (cause: string) => void,
): Promise<Front> | Front {
  // For who wants to know whether a fault is in our own answers or in the SDK's.
  const edge = world.env.ORLA_EDGE === 'sdk' ? 'sdk' : 'own'
  if (config.transport === 'http') {
    const { host, port, limits, hosts: aliases } = config
    const { credentials, tls } = access
    const settings = {
      host,
      port,
      limits,
      aliases,
      insecure,
      edge,
      ...credentials,
      ...(tls && { tls }),
    } as const
    return listenHttp(deps, settings).then((http) => ({
      ...http,
      looked: Promise.resolve(),
      renew: (next: HttpAccess) => http.renew(next.credentials, next.tls),
    }))
  }
  const stdio = serveStdio(deps, { stdin: inputOf(world), stdout: world.stdout }, { edge, ready })
  void stdio.inputEnded.then(() => onEnd('end of input'))
  void stdio.ended.then(() => onEnd('client disconnected'))
  return {
    url: null,
    toolsChanged: () => stdio.toolsChanged(),
    documentsChanged: () => stdio.documentsChanged(),
    promptsChanged: () => stdio.promptsChanged(),
    held: () => stdio.held(),
    looked: stdio.looked,
    renew() {},
    stopAccepting() {},
    idle: () => stdio.idle(),
    stats: () => ({ sessions: 1, connections: 1 }),
    close: () => stdio.close(),
  }
}

/** A pipe is read by a stream of ours, which costs less for each message than the one every program has. */
function inputOf(world: Pick<World, 'stdin' | 'stdinFd'>): Readable {
  const { stdinFd: fd } = world
  return fd !== undefined && isPipe(fd) ? readPipe(fd) : world.stdin
}
