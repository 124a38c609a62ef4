import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createNetServer, type Server, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { type Log, OrlaError } from '../model/index.ts'
import { createHttpClient } from '../platform/index.ts'
import { createAuthenticator } from './access/authenticator.ts'
import { createClientLimits } from './access/client-limits.ts'
import type { Credentials } from './access/credentials.ts'
import { createDoor } from './access/door.ts'
import type { SecureSockets } from './access/secure-sockets.ts'
import type { TlsMaterial } from './access/tls-material.ts'
import { RequestTimeout, refuseBrokenRequests } from './broken-requests.ts'
import type { HttpSettings, Listening, ServerDeps } from './contract.ts'
import { createGate } from './gate.ts'
import { createGuards } from './guards.ts'
import { inUrl, namesOf } from './hosts.ts'
import { createMcpEndpoint } from './mcp-endpoint.ts'
import { createPlainRoad } from './plain/plain-road.ts'
import { createRequestHandler } from './request-handler.ts'
import { MCP_PATH } from './route.ts'

const HEADERS_MS = 5_000
const BODY_MS = 30_000
const KEEP_ALIVE_MS = 30_000
/** How long closing waits for clients to take what was already written. */
const FLUSH_MS = 250

export async function startHttp(deps: ServerDeps, settings: HttpSettings): Promise<Listening> {
  const { limits, headersMs = HEADERS_MS, bodyMs = BODY_MS } = settings
  const checkMs = Math.max(20, Math.min(1_000, headersMs / 4))
  const http = createHttpServer({
    headersTimeout: headersMs,
    requestTimeout: headersMs + bodyMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
  })
  // Its sockets come through the gate, yet only a listening server watches for slow clients.
  http.emit('listening')

  const secure = settings.tls && (await openSecureSockets(settings.tls, headersMs, deps.log))
  const admit = (socket: Socket) => {
    http.emit('connection', socket)
    socket.resume()
  }
  const road = createPlainRoad({
    headersMs,
    keepAliveMs: KEEP_ALIVE_MS,
    checkMs,
    serve: (request, socket, respond) => handler.handlePlain(request, socket, respond),
    handOver: admit,
    onSilent: (socket) => http.emit('clientError', new RequestTimeout(), socket),
  })
  const gate = createGate(limits.connections, (socket) => {
    const carrier = secure?.wrap(socket) ?? socket
    if (secure) admit(carrier)
    else road.take(socket)
    return carrier
  })
  const net = createNetServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true, keepAlive: true })
  net.on('connection', (socket) => gate.arrive(socket))
  const port = await listen(net, settings)

  const scheme = secure ? 'https' : 'http'
  // The issuer is who the operator named, wherever that name leads.
  const outgoing = createHttpClient({ mayReachPrivate: true })
  const authenticatorOf = (credentials: Credentials) =>
    createAuthenticator({ credentials, scheme, http: outgoing, log: deps.log, now: Date.now })
  let authenticator = authenticatorOf(settings)
  const clientLimits = createClientLimits(limits.clients, () => performance.now())
  const door = createDoor({
    authenticator: () => authenticator,
    limits: clientLimits,
    deps,
  })
  const guardsOf = (tls: TlsMaterial | undefined) =>
    createGuards({
      names: [...namesOf(settings.host), ...((tls && secure?.namesIn(tls)) ?? [])],
      port,
      scheme,
      aliases: settings.aliases ?? [],
    })
  let guards = guardsOf(settings.tls)
  const callTool = clientLimits.countsCalls ? door.limited(deps.callTool) : deps.callTool
  const endpoint = createMcpEndpoint({ ...deps, callTool }, limits, settings.edge ?? 'own')
  const handler = createRequestHandler({
    guards: { admit: (head) => guards.admit(head), cors: (head) => guards.cors(head) },
    door,
    metadata: (head) => authenticator.metadata(head),
    gate,
    endpoint,
    limits,
    log: deps.log,
    version: deps.version,
    metrics: deps.metrics ?? (() => ''),
    stallMs: bodyMs,
  })
  refuseBrokenRequests(http, deps.log, (socket) => handler.isSilent(socket))
  http.on('request', (req, res) => handler.handle(req, res))
  // The guards speak before a client is asked for its body.
  http.on('checkContinue', (req, res) => handler.handle(req, res))

  const closed = new Promise((resolve) => net.once('close', resolve))
  net.on('error', (error) => deps.log.error('cannot accept connections', { error: error.message }))

  function stopAccepting(): void {
    if (!net.listening) return
    net.close()
    handler.stop()
    gate.stop()
  }

  return {
    url: `${scheme}://${inUrl(settings.host)}:${port}${MCP_PATH}`,
    port,
    toolsChanged: () => endpoint.announce('tools'),
    documentsChanged: () => endpoint.announce('resources'),
    promptsChanged: () => endpoint.announce('prompts'),
    renew(credentials, tls) {
      if (secure && tls) {
        secure.renew(tls)
        guards = guardsOf(tls)
      }
      authenticator = authenticatorOf(credentials)
    },
    held: () => endpoint.held(),
    stopAccepting,
    idle: () => handler.idle(),
    async close() {
      stopAccepting()
      await endpoint.close()
      await setImmediate() // Streams that were just ended pass their last words on to their sockets.
      gate.endAll(FLUSH_MS)
      await closed
      http.close()
      road.close()
      outgoing.close()
    },
    stats: () => ({ sessions: endpoint.sessions, connections: gate.connections, calls: endpoint.calls }),
  }
}

/** What knows TLS is loaded for those who want it. */
async function openSecureSockets(tls: TlsMaterial, handshakeMs: number, log: Log): Promise<SecureSockets> {
  const { createSecureSockets } = await import('./access/secure-sockets.ts')
  return createSecureSockets(tls, handshakeMs, log)
}

async function listen(server: Server, { host, port }: HttpSettings): Promise<number> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw listenError(error, host, port)
  }
  // A TCP server's address is an object once it listens.
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

function listenError(cause: unknown, host: string, port: number): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EADDRINUSE')
    return new OrlaError('E_PORT_IN_USE', `Port ${port} on ${host} is already in use`, {
      hint: '--port 0 picks a free one',
      cause,
    })
  if (code === 'EACCES')
    return new OrlaError('E_LISTEN', `Port ${port} may not be used`, {
      hint: 'ports below 1024 belong to the system; choose a higher one',
      cause,
    })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new OrlaError('E_LISTEN', `${host} is not an address of this machine`, {
      hint: 'use 127.0.0.1 for this machine alone, 0.0.0.0 for every address it has',
      cause,
    })
  return cause
}
