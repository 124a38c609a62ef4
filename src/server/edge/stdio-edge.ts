import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Json, Progress } from '../../model/index.ts'
import type { CatalogView } from '../catalog-view.ts'
import type { ServerDeps } from '../contract.ts'
import type { Pending } from '../pending.ts'
import { progressNote } from './answers.ts'
import { createEdge, type HotPeer } from './edge.ts'
import { type HotCall, hotRequest } from './hot-request.ts'
import type { LineWriter } from './line-writer.ts'
import type { Message } from './message.ts'
import { cancelledId, createRunningCalls } from './running-calls.ts'

/** Who has so much to read already misses some progress. */
const UNREAD_BYTES = 1024 * 1024

type Era = 'modern' | 'legacy'

/** Hot requests over stdio, once the SDK and the client have found out which era they speak. */
export interface StdioEdge {
  /** Sees to the answer, or leaves the message alone: then it is the SDK's. */
  serve(message: Json): boolean
  /** The SDK made a server of this era for the client. */
  onServer(era: Era, view: CatalogView): void
  /** The SDK is handed a request, and has answered one. */
  onHanded(message: JSONRPCMessage): void
  onAnswered(id: unknown): void
  /** Ends what runs. */
  close(): void
}

export interface StdioEdgeParts {
  readonly deps: ServerDeps
  readonly pending: Pending
  readonly writer: LineWriter
}

export function createStdioEdge({ deps, pending, writer }: StdioEdgeParts): StdioEdge {
  const edge = createEdge(deps)
  const calls = createRunningCalls()
  let offered: { readonly era: Era; readonly peer: HotPeer } | undefined
  let agreed: { readonly era: Era; readonly peer: HotPeer } | undefined
  /** What the SDK has not answered yet, and whether its answer settles the era. */
  const asked = new Map<unknown, boolean>()

  function answerCall(request: HotCall, peer: HotPeer): void {
    const { id, progressToken } = request
    const running = calls.begin(id, () => {})
    pending.begin()
    const progress =
      progressToken === undefined
        ? undefined
        : (step: Progress) => {
            if (!running.signal.aborted && writer.waiting < UNREAD_BYTES)
              writer.note(progressNote(progressToken, step))
          }
    void edge.call(request, peer, running.signal, progress).then((message) => {
      running.end()
      // A call that was taken back has no answer.
      if (running.signal.aborted) pending.end()
      else writer.write(message, () => pending.end())
    })
  }

  function answerNow(message: Message): void {
    pending.begin()
    writer.write(message, () => pending.end())
  }

  return {
    serve(message) {
      if (!agreed) return false
      const request = hotRequest(message)
      if (!request || request.era !== agreed.era || !edge.takes(request, agreed.peer)) return false
      if (request.method === 'tools/call') answerCall(request, agreed.peer)
      else answerNow(edge.answer(request, agreed.peer))
      return true
    },
    onServer(era, view) {
      offered = { era, peer: { connection: 'stdio', transport: 'stdio', view } }
    },
    onHanded(message) {
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) calls.cancel(cancelled)
      if (agreed || !('id' in message) || !('method' in message)) return
      asked.set(message.id, settlesModern(message))
    },
    onAnswered(id) {
      if (agreed || !offered || !asked.has(id)) return
      if (offered.era === 'legacy' || asked.get(id) === true) agreed = offered
      asked.delete(id)
    },
    close: () => calls.abortAll(),
  }
}

/** A client that only asked what is spoken here may still choose the older era. */
function settlesModern(message: JSONRPCMessage): boolean {
  // It was parsed from JSON.
  const request = hotRequest(message as Json)
  return request?.era === 'modern' && request.method !== 'server/discover'
}
