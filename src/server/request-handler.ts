import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Json, Limits, Log } from '../model/index.ts'
import { clip, describeMessage, wantsAnswer } from './describe-message.ts'
import { errorResponse, refusalResponse } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import { type Guards, headerValues, type Refusal } from './guards.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { milliseconds } from './milliseconds.ts'
import { recovered } from './panic.ts'
import { createPending } from './pending.ts'
import { readBody } from './read-body.ts'
import { MCP_PATH, routeOf } from './route.ts'
import { RPC } from './rpc-error.ts'
import { sendWebResponse, toWebRequest } from './web.ts'

/** How long a refused client may go on sending before it is cut; without it, it might miss the answer. */
const LINGER_MS = 2_000

export interface RequestHandler {
  handle(req: IncomingMessage, res: ServerResponse): void
  /** From now on requests are turned away; what belongs to those in flight still gets through. */
  stop(): void
  /** Resolves when nothing but standing streams is left to answer. */
  idle(): Promise<void>
}

export interface RequestHandlerParts {
  readonly guards: Guards
  readonly gate: Gate
  readonly endpoint: McpEndpoint
  readonly limits: Limits
  readonly log: Log
  readonly version: string
  readonly stallMs: number
}

/** Takes a request through guards, route, body and endpoint, and sees its response off. */
export function createRequestHandler(parts: RequestHandlerParts): RequestHandler {
  const { guards, gate, endpoint, limits, log, stallMs } = parts
  const nameOf = socketNames()
  const pending = createPending()
  let stopping = false

  async function respond(
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
  ): Promise<Response | 'gone'> {
    const refusal = guards.admit(req)
    if (refusal) return refuse(refusal, req, exchange)
    for (const [name, value] of Object.entries(guards.cors(req))) res.setHeader(name, value)
    const route = routeOf(req)
    switch (route.to) {
      case 'refusal':
        return refuse(route.refusal, req, exchange)
      case 'options':
        return new Response(null, { status: 204, headers: { Allow: route.allow } })
      case 'welcome':
        return new Response(welcome(parts.version))
      case 'mcp':
        return route.method === 'POST' ? post(req, res, exchange) : serve(req, res, undefined, exchange)
    }
  }

  async function post(
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
  ): Promise<Response | 'gone'> {
    const body = await readBody(req, res, limits.bodyBytes)
    if (body.kind === 'gone') return 'gone'
    if (body.kind === 'refused') return refuse(body.refusal, req, exchange)
    Object.assign(exchange, describeMessage(body.json))
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
      res.setHeader('Connection', 'close')
      gate.stand(req.socket)
      exchange.settle()
    }
    return response
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
      remote: req.socket.remoteAddress,
    })
    return refusalResponse(refusal)
  }

  async function run(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
    try {
      const response = await respond(req, res, exchange)
      if (response === 'gone') return
      if (gate.waiting > 0) res.setHeader('Connection', 'close')
      await sendWebResponse(response, res, stallMs)
    } catch (error) {
      const { rpcMethod, requestId } = exchange
      const { code, message } = recovered(log, error, { rpc_method: rpcMethod, request_id: requestId })
      if (res.headersSent) res.destroy()
      else await sendWebResponse(errorResponse(500, code, message), res, stallMs)
    }
  }

  return {
    handle(req, res) {
      const started = performance.now()
      let done = false
      res.once('close', () => {
        done = true
      })
      const exchange: Exchange = {
        connection: nameOf(req.socket),
        settle: once(() => pending.end()),
        onDone: (callback) => void (done ? callback() : res.once('close', callback)),
      }
      res.setHeader('X-Content-Type-Options', 'nosniff')
      pending.begin()
      gate.begin(req.socket)
      exchange.onDone(() => {
        exchange.settle()
        gate.end(req.socket)
        log.debug('http request', {
          method: req.method,
          rpc_method: exchange.rpcMethod,
          status: res.statusCode,
          ...(!res.writableFinished && { cut: true }),
          duration_ms: milliseconds(performance.now() - started),
          session: exchange.session,
          connection: exchange.connection,
          era: exchange.era,
          request_id: exchange.requestId,
        })
      })
      res.once('finish', () => cutWhenLingering(req))
      run(req, res, exchange).catch(() => res.destroy())
    },
    stop() {
      stopping = true
    },
    idle: () => pending.idle(),
  }
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}

function socketNames(): (socket: Socket) => string {
  const names = new WeakMap<Socket, string>()
  let count = 0
  return (socket) => {
    const known = names.get(socket)
    if (known !== undefined) return known
    const name = `socket-${++count}`
    names.set(socket, name)
    return name
  }
}

function cutWhenLingering(req: IncomingMessage): void {
  if (req.complete) return
  const timer = setTimeout(() => req.socket.destroy(), LINGER_MS)
  req.once('close', () => clearTimeout(timer))
}

function isStanding(response: Response, exchange: Exchange): boolean {
  if (response.headers.get('content-type') !== 'text/event-stream') return false
  return exchange.rpcMethod === undefined || exchange.rpcMethod === 'subscriptions/listen'
}

function welcome(version: string): string {
  return `This is Orla ${version}, a server of MCP tools. Point an MCP client at ${MCP_PATH} here.\n`
}
