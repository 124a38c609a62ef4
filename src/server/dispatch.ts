import type { ServerResponse } from 'node:http'
import type { Log } from '../model/index.ts'
import { createHttpReply, type HttpReply } from './edge/http-reply.ts'
import { createPulse } from './edge/pulse.ts'
import { errorResponse } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import type { Outlet } from './outlet.ts'
import { recovered } from './panic.ts'
import { sendWebResponse } from './web.ts'

/** How often a stream that has nothing to say says so; the SDK does it as often. */
const KEEP_ALIVE_MS = 15_000

/** Sees responses off: those of the SDK and our own as they are, those of the edge as a reply to be written. */
export interface Dispatch {
  /** Whether there was something to send. */
  readonly respond: (
    res: ServerResponse,
    exchange: Exchange,
    find: () => Response | Promise<Response> | undefined,
  ) => boolean
  send(response: Response | Promise<Response>, res: ServerResponse, exchange: Exchange): Promise<void>
  /** Answers that something of ours is broken. */
  fail(res: ServerResponse, exchange: Exchange, error: unknown): void
  reply(res: Outlet, exchange: Exchange, sessionId: string | undefined): HttpReply
}

export interface DispatchParts {
  readonly gate: Gate
  readonly log: Log
  readonly stallMs: number
}

export function createDispatch({ gate, log, stallMs }: DispatchParts): Dispatch {
  const pulse = createPulse(KEEP_ALIVE_MS)

  function headOf({ head }: Exchange): readonly string[] {
    // When others wait for a place, this connection gives its own up after the answer.
    return gate.waiting > 0 ? [...head, 'Connection', 'close'] : head
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

  return {
    send,
    fail,
    respond(res, exchange, find) {
      try {
        const response = find()
        if (!response) return false
        send(response, res, exchange).catch((error: unknown) => fail(res, exchange, error))
      } catch (error) {
        fail(res, exchange, error)
      }
      return true
    },
    reply(res, exchange, sessionId) {
      if (sessionId !== undefined) exchange.head.push('Mcp-Session-Id', sessionId)
      return createHttpReply({ res, stallMs, pulse, head: () => headOf(exchange) })
    },
  }
}
