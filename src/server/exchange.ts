import type { Visitor } from './access/principal.ts'

/** One HTTP request and its response, as the endpoint and the log know it. */
export interface Exchange {
  /** The TCP connection, by the name it has in logs. */
  readonly connection: string
  /** Headers of the response that do not depend on the answer: names and values alternating. */
  readonly head: string[]
  /** Who sends it; the principal is known once it is through the guards. */
  visitor: Visitor
  era?: 'modern' | 'legacy'
  /** The session, by the name it has in logs. */
  session?: string
  rpcMethod?: string
  requestId?: string | number
  /** Nothing more is to be waited for: it was answered, or became a standing stream. */
  settle(): void
  /** Calls back once the response has left or was given up, at once if that is past. */
  onDone(callback: () => void): void
}

/** `onSettled`: once, at the latest when it ends. */
export function createExchange(
  connection: string,
  visitor: Visitor,
  onSettled: () => void,
): Exchange & { end(): void } {
  const callbacks: (() => void)[] = []
  let settled = false
  let ended = false
  const exchange: Exchange & { end(): void } = {
    connection,
    head: ['X-Content-Type-Options', 'nosniff'],
    visitor,
    settle() {
      if (!settled) onSettled()
      settled = true
    },
    onDone(callback) {
      if (ended) callback()
      else callbacks.push(callback)
    },
    end() {
      ended = true
      exchange.settle()
      for (const callback of callbacks) callback()
    },
  }
  return exchange
}
