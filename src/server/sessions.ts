import { randomBytes } from 'node:crypto'
import { WebStandardStreamableHTTPServerTransport as SessionTransport } from '@modelcontextprotocol/server'
import { type Catalog, isJsonObject, type Json, type Log } from '../model/index.ts'
import type { Visitor } from './access/principal.ts'
import type { CatalogServer, Peer } from './catalog-server.ts'
import type { CatalogView } from './catalog-view.ts'
import type { ListName } from './contract.ts'
import { cancelledId, createRunningCalls, type RunningCalls } from './edge/running-calls.ts'
import { errorResponse } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import { RPC } from './rpc-error.ts'

/** The legacy era over HTTP: a client introduces itself once and is known by its session from then on. */
export interface Sessions {
  readonly size: number
  serve(request: Request, body: Json | undefined, exchange: Exchange): Promise<Response>
  /** A session that its owner may use now, by what the header says. */
  find(id: unknown, visitor: Visitor): Session | undefined
  /** Until it is released as often, it is not idle. */
  hold(session: Session): void
  release(session: Session): void
  /** The catalogs that sessions keep although there is a newer one. */
  held(): Set<Catalog>
  announce(list: ListName): void
  /** Ends who was idle too long; done from time to time without being asked. */
  expire(): void
  close(): void
}

export interface SessionSettings {
  readonly limit: number
  readonly idleMs: number
  readonly log: Log
  readonly now: () => number
  readonly onEnd?: (session: Session) => void
  readonly createServer: (
    peer: Pick<Peer, 'connection' | 'visitor' | 'onCallBegin' | 'onCallEnd' | 'onCallAborted'>,
  ) => CatalogServer
}

export interface Session {
  readonly id: string
  /** For logs: the id itself is as good as a password. */
  readonly label: string
  readonly transport: SessionTransport
  readonly server: CatalogServer
  readonly view: CatalogView
  /** Those that run without the SDK. */
  readonly calls: RunningCalls
  /** Who uses it: always the same one, though maybe from elsewhere or with a newer token. */
  visitor: Visitor
  /** Counts requests being answered, streams standing open, calls running. */
  busy: number
  lastUsed: number
  /** Requests that share their response stream with others. */
  readonly batched: Set<unknown>
}

export function createSessions(settings: SessionSettings): Sessions {
  const { limit, idleMs, log, now } = settings
  const sessions = new Map<string, Session>()
  let opened = 0

  const sweeper = setInterval(expire, Math.min(30_000, Math.max(20, idleMs / 4)))
  sweeper.unref()

  function expire(): void {
    for (const session of sessions.values())
      if (session.busy === 0 && now() - session.lastUsed >= idleMs) drop(session, 'idle')
  }

  function drop(session: Session, why: string): void {
    if (!sessions.delete(session.id)) return
    log.debug('session ended', { session: session.label, why })
    session.calls.abortAll()
    settings.onEnd?.(session)
    session.server
      .close()
      .catch((error: unknown) => log.debug('session did not close', { error: String(error) }))
  }

  async function open(visitor: Visitor): Promise<Session> {
    const id = randomBytes(24).toString('base64url')
    const label = `session-${++opened}`
    const transport = new SessionTransport({ sessionIdGenerator: () => id })
    const server = settings.createServer({
      connection: label,
      visitor: () => session.visitor,
      onCallBegin: () => hold(session),
      onCallEnd: () => release(session),
      // The SDK leaves the stream of a cancelled call open, though no answer will ever come.
      onCallAborted: (requestId) => {
        if (!session.batched.has(requestId)) transport.closeSSEStream(requestId)
      },
    })
    const session: Session = {
      id,
      label,
      transport,
      server,
      view: server.view,
      calls: createRunningCalls(),
      visitor,
      busy: 1,
      lastUsed: now(),
      batched: new Set(),
    }
    sessions.set(id, session)
    await server.connect(transport)
    server.server.onclose = () => drop(session, 'closed')
    return session
  }

  function hold(session: Session): void {
    session.busy++
  }

  function release(session: Session): void {
    session.busy--
    session.lastUsed = now()
  }

  /** Room for one more, if need be by giving up who was idle longest. */
  function makeRoom(): boolean {
    if (sessions.size < limit) return true
    let longest: Session | undefined
    for (const session of sessions.values())
      if (session.busy === 0 && session.lastUsed < (longest?.lastUsed ?? Number.POSITIVE_INFINITY))
        longest = session
    if (!longest) return false
    drop(longest, 'room')
    return true
  }

  /** Whoever else names a session is told that there is none. */
  function find(id: string, visitor: Visitor): Session | undefined {
    const session = sessions.get(id)
    if (session?.visitor.principal?.name !== visitor.principal?.name) return undefined
    if (session) session.visitor = visitor
    return session
  }

  /** The session of a request, held until its exchange is done. */
  async function sessionFor(
    request: Request,
    body: Json | undefined,
    visitor: Visitor,
  ): Promise<Session | Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const session = find(id, visitor)
      if (!session) return errorResponse(404, RPC.noSession, 'Session not found: initialize a new one')
      hold(session)
      return session
    }
    if (!introducesItself(body)) return withoutSession(request)
    if (!makeRoom()) {
      log.warn('session refused', { reason: 'sessions', limit })
      return errorResponse(503, RPC.refused, `All ${limit} sessions are in use`, { 'Retry-After': '5' })
    }
    return open(visitor)
  }

  return {
    get size() {
      return sessions.size
    },
    async serve(request, body, exchange) {
      const session = await sessionFor(request, body, exchange.visitor)
      if (session instanceof Response) return session
      exchange.session = session.label
      const together = idsOfBatch(body)
      for (const id of together) session.batched.add(id)
      exchange.onDone(() => {
        release(session)
        for (const id of together) session.batched.delete(id)
      })
      const response = await session.transport.handleRequest(
        request,
        body === undefined ? {} : { parsedBody: body },
      )
      if (session.transport.sessionId === undefined) drop(session, 'refused')
      if (response.ok) for (const id of cancelledIds(body)) session.calls.cancel(id)
      return response
    },
    find: (id, visitor) => (typeof id === 'string' ? find(id, visitor) : undefined),
    hold,
    release,
    held() {
      const catalogs = new Set<Catalog>()
      for (const { view } of sessions.values()) {
        const catalog = view.held()
        if (catalog) catalogs.add(catalog)
      }
      return catalogs
    },
    expire,
    announce(list) {
      for (const session of sessions.values()) session.server.announce(list)
    },
    close() {
      clearInterval(sweeper)
      for (const session of sessions.values()) drop(session, 'stop')
    },
  }
}

function introducesItself(body: Json | undefined): boolean {
  const messages = Array.isArray(body) ? body : [body]
  return messages.some((message) => isJsonObject(message) && message.method === 'initialize')
}

function idsOfBatch(body: Json | undefined): readonly unknown[] {
  if (!Array.isArray(body)) return []
  return body.filter(isJsonObject).map((message) => message.id)
}

function cancelledIds(body: Json | undefined): readonly unknown[] {
  const messages = Array.isArray(body) ? body : [body]
  return messages.map(cancelledId).filter((id) => id !== undefined)
}

function withoutSession(request: Request): Response {
  if (request.method !== 'POST' && (request.headers.get('mcp-protocol-version') ?? '') >= '2026')
    return errorResponse(405, RPC.refused, 'This protocol revision only posts', { Allow: 'POST' })
  return errorResponse(400, RPC.refused, 'The Mcp-Session-Id header is missing: initialize first')
}
