import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import type { Json, Progress } from '../../model/index.ts'
import type { CatalogView } from '../catalog-view.ts'
import type { ListName, ServerDeps } from '../contract.ts'
import type { Pending } from '../pending.ts'
import { changeNote, progressNote } from './answers.ts'
import { createEdge, type HotPeer } from './edge.ts'
import { greetingOf, isInitialized } from './greeting.ts'
import { type HotCall, hotRequest, type IsSoundEnvelope } from './hot-request.ts'
import type { LineWriter } from './line-writer.ts'
import type { Message } from './message.ts'
import { isNote } from './message-shape.ts'
import { cancelledId, createRunningCalls } from './running-calls.ts'

/** Who has so much to read already misses some progress. */
const UNREAD_BYTES = 1024 * 1024

type Era = 'modern' | 'legacy'

/** Hot requests over stdio, once it is found out which era the client speaks; of the legacy one also the greeting. */
export interface StdioEdge {
  /** Sees to the answer, or leaves the message alone: then it is the SDK's. */
  serve(message: Json): boolean
  /** What the SDK has to hear first to know what was agreed on without it. */
  readonly agreement: readonly Json[]
  /** Tells a client that was greeted here that a list is another; false for all others. */
  announce(list: ListName): boolean
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
  /** The catalog of a legacy client, whoever answers it. */
  readonly view: () => CatalogView
  /** The SDK was handed a message already: what was agreed on, it knows best. */
  readonly sdkIsAsked: () => boolean
  readonly isSoundEnvelope: IsSoundEnvelope
}

export function createStdioEdge(parts: StdioEdgeParts): StdioEdge {
  const { deps, pending, writer, isSoundEnvelope } = parts
  const edge = createEdge(deps)
  const calls = createRunningCalls()
  const agreement: Json[] = []
  let offered: { readonly era: Era; readonly peer: HotPeer } | undefined
  let agreed: { readonly era: Era; readonly peer: HotPeer } | undefined
  let isGreeted = false
  /** What the SDK has not answered yet, and whether its answer settles the era. */
  const asked = new Map<unknown, boolean>()

  function write(message: Message): void {
    pending.begin()
    writer.write(message, () => pending.end())
  }

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

  /** Whether the message opened the connection, which it does once. */
  function greet(message: Json): boolean {
    const greeting = greetingOf(message)
    if (!greeting || parts.sdkIsAsked()) return false
    write(edge.greet(greeting))
    agreement.push(message)
    isGreeted = true
    agreed = { era: 'legacy', peer: peerOf(parts.view()) }
    return true
  }

  /** What the SDK would do nothing about either, as long as it has nothing to do with this client. */
  function takesNote(message: Json): boolean {
    if (!isGreeted || parts.sdkIsAsked() || !isNote(message)) return false
    const isFirst = isInitialized(message) && agreement.length === 1
    if (isFirst) agreement.push(message)
    const cancelled = cancelledId(message)
    if (cancelled !== undefined) calls.cancel(cancelled)
    return isFirst || cancelled !== undefined
  }

  return {
    agreement,
    serve(message) {
      if (!agreed) return greet(message)
      const request = hotRequest(message, isSoundEnvelope)
      if (!request) return takesNote(message)
      if (request.era !== agreed.era || !edge.takes(request, agreed.peer)) return false
      if (request.method === 'tools/call') answerCall(request, agreed.peer)
      else write(edge.answer(request, agreed.peer))
      return true
    },
    announce(list) {
      if (isGreeted) writer.note(changeNote(list))
      return isGreeted
    },
    onServer(era, view) {
      offered = { era, peer: peerOf(view) }
    },
    onHanded(message) {
      const cancelled = cancelledId(message)
      if (cancelled !== undefined) calls.cancel(cancelled)
      if (agreed || !('id' in message) || !('method' in message)) return
      asked.set(message.id, settlesModern(message, isSoundEnvelope))
    },
    onAnswered(id) {
      if (agreed || !offered || !asked.has(id)) return
      if (offered.era === 'legacy' || asked.get(id) === true) agreed = offered
      asked.delete(id)
    },
    close() {
      isGreeted = false
      calls.abortAll()
    },
  }
}

function peerOf(view: CatalogView): HotPeer {
  return { connection: 'stdio', transport: 'stdio', view }
}

/** A client that only asked what is spoken here may still choose the older era. */
function settlesModern(message: JSONRPCMessage, isSoundEnvelope: IsSoundEnvelope): boolean {
  // It was parsed from JSON.
  const request = hotRequest(message as Json, isSoundEnvelope)
  return request?.era === 'modern' && request.method !== 'server/discover'
}
