import type { IncomingHttpHeaders } from 'node:http'
import type { Json, Progress } from '../../model/index.ts'
import { restrictedView } from '../access/restricted-catalog.ts'
import { newestView } from '../catalog-view.ts'
import type { ServerDeps } from '../contract.ts'
import type { Exchange } from '../exchange.ts'
import { recovered } from '../panic.ts'
import type { Session, Sessions } from '../sessions.ts'
import { progressNote } from './answers.ts'
import { createEdge, type HotPeer } from './edge.ts'
import { isSoundEnvelope } from './envelope.ts'
import { isPlainPost, namesSession, saysTheSame } from './hot-headers.ts'
import { type HotCall, type HotRequest, hotRequest } from './hot-request.ts'
import type { HttpReply } from './http-reply.ts'
import type { Message } from './message.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'

/** Within a session the response says which. */
export type StartReply = (sessionId?: string) => HttpReply

/** Hot requests over HTTP, after the guards and with their bodies read. */
export interface HttpEdge {
  /** Sees to the answer, or leaves the request alone: then it is the SDK's. */
  serve(headers: IncomingHttpHeaders, body: Json, exchange: Exchange, reply: StartReply): boolean
  /** Ends what runs for clients without a session; sessions end their own. */
  close(): void
}

export interface HttpEdgeParts {
  readonly deps: ServerDeps
  readonly sessions: Sessions
  readonly onCallBegin: () => void
  readonly onCallEnd: () => void
}

export function createHttpEdge({ deps, sessions, onCallBegin, onCallEnd }: HttpEdgeParts): HttpEdge {
  const edge = createEdge(deps)
  const newest = newestView(deps.catalog)
  const statelessCalls = createRunningCalls()
  const begin = atOnce()
  let inFlight = 0

  function modern(
    request: HotRequest,
    headers: IncomingHttpHeaders,
    exchange: Exchange,
    reply: StartReply,
  ): boolean {
    if (!saysTheSame(headers, request)) return false
    const { connection, visitor } = exchange
    const access = visitor.principal?.access
    const view = access ? restrictedView(newest, () => access) : newest
    const peer = { connection, transport: 'http', view, visitor } as const
    if (!edge.takes(request, peer)) return false
    exchange.era = 'modern'
    const running = answer(request, peer, statelessCalls, reply())
    if (running) exchange.onDone(() => running.abort())
    return true
  }

  function legacy(
    request: HotRequest,
    headers: IncomingHttpHeaders,
    exchange: Exchange,
    reply: StartReply,
  ): boolean {
    const { visitor } = exchange
    const session = namesSession(headers) && sessions.find(headers['mcp-session-id'], visitor)
    if (!session) return false
    const peer = { connection: session.label, transport: 'http', view: session.view, visitor } as const
    if (!edge.takes(request, peer)) return false
    exchange.era = 'legacy'
    exchange.session = session.label
    sessions.hold(session)
    exchange.onDone(() => sessions.release(session))
    answer(request, peer, session.calls, reply(session.id), session)
    return true
  }

  function answer(
    request: HotRequest,
    peer: HotPeer,
    calls: RunningCalls,
    reply: HttpReply,
    session?: Session,
  ) {
    if (request.method === 'tools/call') return answerCall(request, peer, calls, reply, session)
    reply.send(edge.answer(request, peer))
    return undefined
  }

  function answerCall(
    request: HotCall,
    peer: HotPeer,
    calls: RunningCalls,
    reply: HttpReply,
    session?: Session,
  ) {
    const { id, progressToken } = request
    const running = calls.begin(id, () => reply.abandon())
    onCallBegin()
    // A call goes on, and keeps its session, when its client stops listening.
    if (session) sessions.hold(session)
    reply.keepAlive()
    const progress =
      progressToken === undefined
        ? undefined
        : (step: Progress) => reply.note(progressNote(progressToken, step))
    const isAlone = inFlight === 0
    inFlight++
    begin(isAlone, () => {
      void finishCall(request, reply, edge.call(request, peer, running.signal, progress), () => {
        inFlight--
        running.end()
        onCallEnd()
        if (session) sessions.release(session)
      })
    })
    return running
  }

  async function finishCall(
    { method, id }: HotCall,
    reply: HttpReply,
    answer: Promise<Message>,
    onEnd: () => void,
  ): Promise<void> {
    try {
      const message = await answer
      onEnd()
      reply.send(message)
    } catch (error) {
      recovered(deps.log, error, { rpc_method: method, request_id: id })
      reply.abandon()
    }
  }

  return {
    serve(headers, body, exchange, reply) {
      const request = hotRequest(body, isSoundEnvelope)
      if (!request || !isPlainPost(headers)) return false
      return request.era === 'modern'
        ? modern(request, headers, exchange, reply)
        : legacy(request, headers, exchange, reply)
    },
    close: () => statelessCalls.abortAll(),
  }
}

/**
 * What comes with one look at all connections begins together: what is written about it leaves in one piece. A call that
 * is the only one has nothing to wait for.
 */
function atOnce(): (isAlone: boolean, begin: () => void) => void {
  let waiting: (() => void)[] = []
  function flush(): void {
    const all = waiting
    waiting = []
    for (const begin of all) begin()
  }
  return (isAlone, begin) => {
    if (isAlone) begin()
    else if (waiting.push(begin) === 1) setImmediate(flush)
  }
}
