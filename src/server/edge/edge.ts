import type { Catalog, JsonSchema, Progress, Tool } from '../../model/index.ts'
import { callerIn, type Visitor } from '../access/principal.ts'
import { logAnswered, toRefusal } from '../answered.ts'
import type { CatalogView } from '../catalog-view.ts'
import type { ServerDeps } from '../contract.ts'
import { handleCall } from '../handle-call.ts'
import { clockMs } from '../milliseconds.ts'
import { wireCatalog } from '../wire-tools.ts'
import { createAnswers, errorAnswer } from './answers.ts'
import type { Greeting } from './greeting.ts'
import type { HotCall, HotPlain, HotRequest } from './hot-request.ts'
import type { Message } from './message.ts'

/** The client's side of a hot request. */
export interface HotPeer {
  readonly connection: string
  readonly transport: 'http' | 'stdio'
  readonly view: CatalogView
  readonly visitor?: Visitor
}

/** Answers the requests that make up nearly all traffic without the SDK, and as the SDK would. */
export interface Edge {
  /** Whether nothing about the tools it concerns needs the SDK. */
  takes(request: HotRequest, peer: HotPeer): boolean
  /** The first answer of the legacy era. */
  greet(greeting: Greeting): Message
  answer(request: HotPlain, peer: HotPeer): Message
  call(
    request: HotCall,
    peer: HotPeer,
    signal: AbortSignal,
    progress?: (progress: Progress) => void,
  ): Promise<Message>
}

export function createEdge(deps: ServerDeps): Edge {
  const { log } = deps
  const answers = createAnswers(deps)

  function plainAnswer({ method, id, era }: HotPlain, { view }: HotPeer): Message {
    switch (method) {
      case 'ping':
        return answers.pong(id)
      case 'server/discover':
        return answers.discovery(id)
      case 'tools/list':
        return answers.list(id, view.forList(false), deps.nameStyle(), era)
    }
  }

  function isPlain(request: HotRequest, { view, transport }: HotPeer): boolean {
    if (request.method === 'tools/list') return request.era === 'modern' || hasObjectOutputs(deps.catalog())
    if (request.method !== 'tools/call') return true
    const catalog = view.forCall()
    if (needsConsent(request, catalog)) return false
    if (request.era !== 'modern' || transport !== 'http') return true
    const schema = wireCatalog(catalog, deps.nameStyle(), deps.describe).inputSchema(request.name)
    return schema === undefined || !mirrorsHeaders(schema)
  }

  /** A question to a person is the SDK's to put. */
  function needsConsent({ name }: HotCall, catalog: Catalog): boolean {
    if (deps.consent === undefined) return false
    const tool = catalog.tools.get(wireCatalog(catalog, deps.nameStyle(), deps.describe).catalogName(name))
    return tool !== undefined && deps.consent.isNeeded(tool, catalog)
  }

  return {
    takes(request, peer) {
      try {
        return isPlain(request, peer)
      } catch {
        return false // Whatever is broken, the other way is prepared for it.
      }
    },
    greet: (greeting) => answers.greeting(greeting),
    answer(request, peer) {
      const { method, id, era } = request
      const caller = { connection: peer.connection, requestId: id, transport: peer.transport, era }
      const started = clockMs()
      try {
        return plainAnswer(request, peer)
      } catch (error) {
        return errorAnswer(id, toRefusal(log, method, caller, error))
      } finally {
        // The SDK answers the others without asking us, so nothing is logged about them.
        if (method === 'tools/list') logAnswered(log, method, caller, started)
      }
    },
    async call(request, { connection, transport, view, visitor }, signal, progress) {
      const { id, era, method, name, arguments: args } = request
      const caller = callerIn({ connection, requestId: id, transport, era }, visitor)
      const started = clockMs()
      try {
        const catalog = view.forCall()
        const style = deps.nameStyle()
        const asked = { catalog, style, name, arguments: args, signal, caller, progress }
        const written = await handleCall(deps, asked)
        const tool = catalog.tools.get(wireCatalog(catalog, style, deps.describe).catalogName(name))
        return answers.result(id, written, tool?.outputSchema, era)
      } catch (error) {
        return errorAnswer(id, toRefusal(log, method, caller, error))
      } finally {
        logAnswered(log, method, caller, started)
      }
    },
  }
}

const headerMirrors = new WeakMap<JsonSchema, boolean>()

/** Whether arguments are repeated in headers, which have to be compared. */
function mirrorsHeaders(schema: JsonSchema): boolean {
  let mirrors = headerMirrors.get(schema)
  if (mirrors === undefined) {
    mirrors = JSON.stringify(schema).includes('"x-mcp-header"')
    headerMirrors.set(schema, mirrors)
  }
  return mirrors
}

const objectOutputs = new WeakMap<Catalog, boolean>()

/** Other output schemas are rewritten for old clients. */
function hasObjectOutputs(catalog: Catalog): boolean {
  let all = objectOutputs.get(catalog)
  if (all === undefined) {
    all = [...catalog.tools.values()].every(isObjectOutput)
    objectOutputs.set(catalog, all)
  }
  return all
}

function isObjectOutput({ outputSchema }: Tool): boolean {
  return outputSchema === undefined || outputSchema.type === 'object'
}
