import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Json } from '../model/index.ts'
import { describeMessage, wantsAnswer } from './describe-message.ts'
import { createDispatch } from './dispatch.ts'
import { errorResponse } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import type { PlainRequest } from './plain/plain-request.ts'
import type { Respond } from './plain/plain-road.ts'
import { type Body, readBody } from './read-body.ts'
import { createReception, type ReceptionParts } from './reception.ts'
import { RPC } from './rpc-error.ts'
import { createVisits } from './visits.ts'
import { toWebRequest } from './web.ts'

/** How long a refused client may go on sending before it is cut; without it, it might miss the answer. */
const LINGER_MS = 2_000

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

export interface RequestHandlerParts extends ReceptionParts {
  readonly gate: Gate
  readonly endpoint: McpEndpoint
  readonly stallMs: number
}

/** Takes a request through reception, body and endpoint, and sees its response off. */
export function createRequestHandler(parts: RequestHandlerParts): RequestHandler {
  const { door, gate, endpoint, limits } = parts
  const visits = createVisits(parts)
  const reception = createReception(parts)
  const dispatch = createDispatch(parts)
  const { respond } = dispatch
  let stopping = false

  /** What to answer once the body is there; undefined when that is seen to, or nobody waits for it. */
  function receiveBody(
    body: Body,
    req: IncomingMessage,
    res: ServerResponse,
    exchange: Exchange,
  ): Response | Promise<Response> | undefined {
    if (body.kind === 'gone') return undefined
    if (body.kind === 'refused') return reception.refuse(body.refusal, req, exchange)
    describeMessage(body.json, exchange)
    const refusal = door.refuseCalls(body.json, req, exchange)
    if (refusal) return reception.refuse(refusal, req, exchange)
    const reply = (sessionId?: string) => dispatch.reply(res, exchange, sessionId)
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

  function goOn(req: IncomingMessage, res: ServerResponse, exchange: Exchange): void {
    if (respond(res, exchange, () => reception.receive(req, exchange))) return
    if (req.method !== 'POST') {
      respond(res, exchange, () => serve(req, res, undefined, exchange))
      return
    }
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
      if (refusal) await dispatch.send(refusal, res, exchange)
      else goOn(req, res, exchange)
    } catch (error) {
      dispatch.fail(res, exchange, error)
    }
  }

  return {
    handlePlain(request, socket, respond) {
      const visit = visits.receive(socket, request.method)
      const { exchange } = visit
      const body = stopping ? undefined : reception.admitPlain(request, exchange)
      if (body?.kind !== 'json') return false
      describeMessage(body.json, exchange)
      return endpoint.serveHot(request.headers, body.json, exchange, (sessionId) => {
        const res = respond(() => visits.end(visit, res))
        visits.begin(visit, res)
        return dispatch.reply(res, exchange, sessionId)
      })
    },
    handle(req, res) {
      const visit = visits.receive(req.socket, req.method)
      const { exchange } = visit
      visits.begin(visit, res)
      res.on('close', () => {
        visits.end(visit, res)
        cutWhenLingering(req)
      })
      if (respond(res, exchange, () => reception.greet(req, exchange))) return
      const refusal = reception.identify(req, exchange)
      if (refusal instanceof Promise) void goOnLater(req, res, exchange, refusal)
      else if (!respond(res, exchange, () => refusal)) goOn(req, res, exchange)
    },
    isSilent: (socket) => visits.isSilent(socket),
    stop() {
      stopping = true
    },
    idle: () => visits.idle(),
  }
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
