import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Json, Limits, Log } from '../model/index.ts'
import { isMetadata } from './access/challenge.ts'
import type { Door } from './access/door.ts'
import type { Identity } from './access/principal.ts'
import { type Connection, createConnections } from './connections.ts'
import { clip, describeMessage, wantsAnswer } from './describe-message.ts'
import { createHttpReply, type HttpReply } from './edge/http-reply.ts'
import { createPulse } from './edge/pulse.ts'
import { errorResponse, refusalResponse } from './error-response.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import { type Guards, headerValues, isPreflight, type Refusal, type RequestHead } from './guards.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { milliseconds } from './milliseconds.ts'
import type { Outlet } from './outlet.ts'
import { recovered } from './panic.ts'
import { createPending } from './pending.ts'
import type { PlainRequest } from './plain/plain-request.ts'
import type { Respond } from './plain/plain-road.ts'
import { type Body, parseBody, readBody } from './read-body.ts'
import { MCP_PATH, routeOf } from './route.ts'
import { RPC } from './rpc-error.ts'
import { sendWebResponse, toWebRequest } from './web.ts'

/** How long a refused client may go on sending before it is cut; without it, it might miss the answer. */
const LINGER_MS = 2_000

/** How often a stream that has nothing to say says so; the SDK does it as often. */
const KEEP_ALIVE_MS = 15_000

export interface RequestHandler {
  handle(req: IncomingMessage, res: ServerResponse): void
  /** The same for an ordinary call. False when it needs more than an answer: then nothing has happened yet. */
  handlePlain(request: PlainRequest, socket: Socket, respond: Respond): boolean
  /** Nothing of a response was written on this connection yet that an error would corrupt. */
  isSilent(socket: object): boolean
  /** From now on requests are turned away; what belongs to those in flight still gets through. */
  stop(): void
  /** Resolves when nothing but standing streams is left to answer. */
  idle(): Promise<void>
}

export interface RequestHandlerParts {
  readonly guards: Guards
  readonly door: Door
  /** What anyone may know about where to get a token. */
  readonly metadata: (head: RequestHead) => object | undefined
  readonly gate: Gate
  readonly endpoint: McpEndpoint
  readonly limits: Limits
  readonly log: Log
  readonly version: string
  readonly metrics: () => string
  readonly stallMs: number
}

/** Takes a request through guards, route, body and endpoint, and sees its response off. */
export function createRequestHandler(parts: RequestHandlerParts): RequestHandler {
  const { guards, door, gate, endpoint, limits, log, stallMs } = parts
  const connections = createConnections()
  const pending = createPending()
  const pulse = createPulse(KEEP_ALIVE_MS)
  let stopping = false

  /** What to answer whoever it is; undefined when that matters. */
  function greet(req: IncomingMessage, exchange: Exchange): Response | undefined {
    const refusal = guards.admit(req)
    if (refusal) return refuse(refusal, req, exchange)
    greetPage(req, exchange)
    const metadata = isMetadata(req) ? parts.metadata(req) : undefined
    return metadata && Response.json(metadata)
  }

  function greetPage(head: RequestHead, exchange: Exchange): void {
    const cors = guards.cors(head)
    for (const name in cors) exchange.head.push(name, cors[name] ?? '')
  }

  /** Why someone is not let in; a promise where it takes a while to find out. */
  function identify(
    req: IncomingMessage,
    exchange: Exchange,
  ): Response | undefined | Promise<Response | undefined> {
    if (isPreflight(req)) return undefined
    const settle = (identity: Identity) => {
      if (identity.kind === 'refused') return refuse(identity.refusal, req, exchange)
      const { principal } = identity
      if (principal) exchange.visitor = { ...exchange.visitor, principal }
      return undefined
    }
    const identity = door.identify(req, exchange.visitor)
    return identity instanceof Promise ? identity.then(settle) : settle(identity)
  }

  /** What to answer on sight; undefined when the body has to be read first. */
  function receive(
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
  ): Response | Promise<Response> | undefined {
    const route = routeOf(req)
    switch (route.to) {
      case 'refusal':
        return refuse(route.refusal, req, exchange)
      case 'options':
        return new Response(null, { status: 204, headers: { Allow: route.allow } })
      case 'welcome':
        return new Response(welcome(parts.version))
      case 'metrics':
        // They name every tool.
        if (exchange.visitor.principal?.access) return refuse(HIDDEN_METRICS, req, exchange)
        return new Response(parts.metrics(), { headers: { 'Content-Type': METRICS_TYPE } })
      case 'mcp':
        return route.method === 'POST' ? undefined : serve(req, res, undefined, exchange)
    }
  }

  /** What to answer once the body is there; undefined when that is seen to, or nobody waits for it. */
  function receiveBody(
    body: Body,
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
  ): Response | Promise<Response> | undefined {
    if (body.kind === 'gone') return undefined
    if (body.kind === 'refused') return refuse(body.refusal, req, exchange)
    describeMessage(body.json, exchange)
    const refusal = door.refuseCalls(body.json, req, exchange)
    if (refusal) return refuse(refusal, req, exchange)
    const reply = (sessionId?: string) => replyTo(res, exchange, sessionId)
    if (!stopping && endpoint.serveHot(req.headers, body.json, exchange, reply)) return undefined
    return serve(req, res, body.json, exchange)
  }

  async function serve(
    req: IncomingMessage,
    res: ServerResponse,
    body: Json | undefined,
    exchange: Exchange,
  ): Promise<Response> {
    if (stopping && (req.method === 'GET' || wantsAnswer(body)))
      return errorResponse(503, RPC.refused, 'The server is stopping', { 'Retry-After': '5' })
    const abort = new AbortController()
    const request = toWebRequest(req, abort.signal)
    exchange.onDone(() => {
      // Node only passes the abort on while the request is alive: keeping it here keeps it alive.
      if (!res.writableFinished && !request.signal.aborted) abort.abort()
    })
    const response = await endpoint.serve(request, body, exchange)
    if (isStanding(response, exchange)) {
      exchange.head.push('Connection', 'close')
      gate.stand(req.socket)
      exchange.settle()
    }
    return response
  }

  function replyTo(res: Outlet, exchange: Exchange, sessionId: string | undefined): HttpReply {
    if (sessionId !== undefined) exchange.head.push('Mcp-Session-Id', sessionId)
    return createHttpReply({ res, stallMs, pulse, head: () => headOf(exchange) })
  }

  function headOf({ head }: Exchange): readonly string[] {
    // When others wait for a place, this connection gives its own up after the answer.
    return gate.waiting > 0 ? [...head, 'Connection', 'close'] : head
  }

  function refuse(refusal: Refusal, req: IncomingMessage, exchange: Exchange): Response {
    log.warn('request refused', {
      reason: refusal.reason,
      status: refusal.status,
      method: req.method,
      path: clip(req.url ?? ''),
      ...(refusal.reason === 'host' && { host: headerValues(req, 'host').map((value) => clip(value)) }),
      ...(refusal.reason === 'origin' && { origin: headerValues(req, 'origin').map((value) => clip(value)) }),
      connection: exchange.connection,
      remote: exchange.visitor.remote,
      principal: exchange.visitor.principal?.name,
    })
    return refusalResponse(refusal)
  }

  /** Whether there was something to send. */
  function respond(
    res: ServerResponse,
    exchange: Exchange,
    find: () => Response | Promise<Response> | undefined,
  ): boolean {
    try {
      const response = find()
      if (!response) return false
      send(response, res, exchange).catch((error: unknown) => fail(res, exchange, error))
    } catch (error) {
      fail(res, exchange, error)
    }
    return true
  }

  async function send(
    response: Response | Promise<Response>,
    res: ServerResponse,
    exchange: Exchange,
  ): Promise<void> {
    const ready = await response
    await sendWebResponse(ready, res, headOf(exchange), stallMs)
  }

  function fail(res: ServerResponse, exchange: Exchange, error: unknown): void {
    const { rpcMethod, requestId } = exchange
    const { code, message } = recovered(log, error, { rpc_method: rpcMethod, request_id: requestId })
    if (res.headersSent) res.destroy()
    else send(errorResponse(500, code, message), res, exchange).catch(() => res.destroy())
  }

  function goOn(req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
    if (respond(res, exchange, () => receive(req, res, exchange))) return
    readBody(req, res, limits.bodyBytes, (body) =>
      respond(res, exchange, () => receiveBody(body, req, res, exchange)),
    )
  }

  async function goOnLater(
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
    pending: Promise<Response | undefined>,
  ): Promise<void> {
    try {
      const refusal = await pending
      if (res.destroyed) return
      if (refusal) await send(refusal, res, exchange)
      else goOn(req, res, exchange)
    } catch (error) {
      fail(res, exchange, error)
    }
  }

  function receiveVisit(socket: Socket, method: string | undefined): Visit {
    const connection = connections.of(socket)
    const remote = socket.remoteAddress
    const visitor = remote === undefined ? {} : { remote }
    const exchange = createExchange(connection.name, visitor, () => pending.end())
    return { started: performance.now(), socket, connection, exchange, method }
  }

  function begin({ connection, socket }: Visit, res: Outlet): void {
    connection.open.push(res)
    pending.begin()
    gate.begin(socket)
  }

  function end({ connection, socket, exchange, started, method }: Visit, res: Outlet): void {
    connection.open.splice(connection.open.indexOf(res), 1)
    exchange.end()
    gate.end(socket)
    log.debug('http request', {
      method,
      rpc_method: exchange.rpcMethod,
      status: res.statusCode,
      ...(!res.writableFinished && { cut: true }),
      duration_ms: milliseconds(performance.now() - started),
      session: exchange.session,
      connection: connection.name,
      principal: exchange.visitor.principal?.name,
      era: exchange.era,
      request_id: exchange.requestId,
    })
  }

  /** The same questions in the same order as for every request; whoever is not simply let through comes again. */
  function admitPlain(request: PlainRequest, exchange: Exchange): Body | undefined {
    if (stopping || door.counts || guards.admit(request) || routeOf(request).to !== 'mcp') return undefined
    const identity = door.identify(request, exchange.visitor)
    if (identity instanceof Promise || identity.kind === 'refused') return undefined
    const { principal } = identity
    if (principal?.access || request.body.length > limits.bodyBytes) return undefined
    if (principal) exchange.visitor = { ...exchange.visitor, principal }
    greetPage(request, exchange)
    return parseBody(request.body)
  }

  return {
    handlePlain(request, socket, respond) {
      const visit = receiveVisit(socket, request.method)
      const { exchange } = visit
      const body = admitPlain(request, exchange)
      if (body?.kind !== 'json') return false
      describeMessage(body.json, exchange)
      return endpoint.serveHot(request.headers, body.json, exchange, (sessionId) => {
        const res = respond(() => end(visit, res))
        begin(visit, res)
        return replyTo(res, exchange, sessionId)
      })
    },
    handle(req, res) {
      const visit = receiveVisit(req.socket, req.method)
      const { exchange } = visit
      begin(visit, res)
      res.on('close', () => {
        end(visit, res)
        cutWhenLingering(req)
      })
      if (respond(res, exchange, () => greet(req, exchange))) return
      const refusal = identify(req, exchange)
      if (refusal instanceof Promise) void goOnLater(req, res, exchange, refusal)
      else if (!respond(res, exchange, () => refusal)) goOn(req, res, exchange)
    },
    isSilent: (socket) => connections.isSilent(socket),
    stop() {
      stopping = true
    },
    idle: () => pending.idle(),
  }
}

/** A request on its way through, and what is known about where it came from. */
interface Visit {
  readonly started: number
  readonly socket: Socket
  readonly connection: Connection
  readonly exchange: Exchange & { end(): void }
  readonly method: string | undefined
}

function cutWhenLingering(req: IncomingMessage): void {
  if (req.complete || req.socket.destroyed) return
  const timer = setTimeout(() => req.socket.destroy(), LINGER_MS)
  req.once('close', () => clearTimeout(timer))
}

function isStanding(response: Response, exchange: Exchange): boolean {
  if (response.headers.get('content-type') !== 'text/event-stream') return false
  return exchange.rpcMethod === undefined || exchange.rpcMethod === 'subscriptions/listen'
}

const HIDDEN_METRICS: Refusal = {
  status: 403,
  reason: 'scope',
  message: 'Measurements are for tokens that open every tool',
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

function welcome(version: string): string {
  return `This is Orla ${version}, a server of MCP tools. Point an MCP client at ${MCP_PATH} here.\n`
}
