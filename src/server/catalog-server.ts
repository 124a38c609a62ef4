import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type ListToolsResult,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import {
  type Caller,
  type Catalog,
  type JsonObject,
  OrlaError,
  type Progress,
  type Tool,
} from '../model/index.ts'
import { callerIn, type Visitor } from './access/principal.ts'
import { restrictedView } from './access/restricted-catalog.ts'
import { logAnswered, toRefusal } from './answered.ts'
import { type Asker, createAsker, REQUEST_STATE } from './ask-person.ts'
import type { CatalogView } from './catalog-view.ts'
import type { ListName, ServerDeps } from './contract.ts'
import { handleCall } from './handle-call.ts'
import { handleList } from './handle-list.ts'
import { clockMs } from './milliseconds.ts'
import { offerContext } from './offer-context.ts'
import type { WireResult } from './result.ts'
import { CACHE_HINTS, CAPABILITIES, serverInfo } from './self.ts'
import { type WireCatalog, wireCatalog } from './wire-tools.ts'

/** The client's side of one SDK server: who it is and what it may see. */
export interface Peer {
  readonly connection: string
  readonly transport: 'http' | 'stdio'
  readonly era: 'modern' | 'legacy'
  readonly view: CatalogView
  /** Asked for each request: in a session the token may change, though not whose it is. */
  readonly visitor?: () => Visitor
  onCallBegin?(): void
  /** Before its answer is sent; a call that was taken back gets none. */
  onCallEnd?(requestId: string | number, answered: boolean): void
  /** The client took a call back, or left. */
  onCallAborted?(requestId: string | number): void
}

/** The SDK's server over a catalog that changes: tools are looked up when asked for, never registered. */
export class CatalogServer extends McpServer {
  readonly #deps: ServerDeps
  readonly #peer: Peer
  readonly #asker: Asker | undefined

  constructor(deps: ServerDeps, peer: Peer) {
    const instructions = deps.instructions?.()
    super(serverInfo(deps.version), {
      cacheHints: CACHE_HINTS,
      ...(deps.consent && { requestState: REQUEST_STATE }),
      ...(instructions && { instructions }),
    })
    this.#deps = deps
    const access = () => peer.visitor?.().principal?.access
    this.#peer = peer.visitor ? { ...peer, view: restrictedView(peer.view, access) } : peer
    const { server } = this
    this.#asker =
      deps.consent &&
      createAsker({
        era: peer.era,
        capabilities: () => server.getClientCapabilities(),
        consent: deps.consent,
      })
    server.registerCapabilities(CAPABILITIES)
    server.onerror = (error) =>
      deps.log.debug('protocol error', { connection: peer.connection, error: error.message })
    server.setRequestHandler('tools/list', ({ params }, context) =>
      this.#answer(context, () => this.#list(params?.cursor)),
    )
    server.setRequestHandler('tools/call', ({ params }, context) =>
      this.#answer(context, () => this.#call(params.name, params.arguments ?? {}, context)),
    )
    offerContext(server, deps, peer.era, access, (context, find) => this.#answer(context, find))
  }

  get view(): CatalogView {
    return this.#peer.view
  }

  /** The SDK asks before a call, to check the `Mcp-Param-*` headers a schema declares. */
  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#wire(this.#peer.view.forCall()).inputSchema(name)
  }

  /** A client that has not introduced itself yet is told nothing. */
  announce(list: ListName): void {
    if (!this.isConnected() || this.server.getNegotiatedProtocolVersion() === undefined) return
    this.server.notification({ method: `notifications/${list}/list_changed` }).catch((error: unknown) => {
      this.#deps.log.debug('could not announce a change', {
        list,
        connection: this.#peer.connection,
        error: String(error),
      })
    })
  }

  async #answer<R>({ mcpReq: { id, method } }: ServerContext, find: () => R | Promise<R>): Promise<R> {
    const { transport, era, connection } = this.#peer
    const { log } = this.#deps
    const caller = { connection, requestId: id, transport, era }
    const started = clockMs()
    try {
      return await find()
    } catch (error) {
      throw toRefusal(log, method, caller, error)
    } finally {
      logAnswered(log, method, caller, started)
    }
  }

  #list(cursor: string | undefined): ListToolsResult {
    const catalog = this.#peer.view.forList(cursor !== undefined)
    // Our tools are the SDK's, only deeply readonly.
    return handleList(this.#wire(catalog).tools, cursor) as ListToolsResult
  }

  #wire(catalog: Catalog): WireCatalog {
    return wireCatalog(catalog, this.#deps.nameStyle(), this.#deps.describe)
  }

  async #call(
    name: string,
    args: Record<string, unknown>,
    context: ServerContext,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { connection, transport, era, view, visitor } = this.#peer
    const { id, signal, _meta } = context.mcpReq
    const token = _meta?.progressToken
    const aborted = () => this.#peer.onCallAborted?.(id)
    signal.addEventListener('abort', aborted, { once: true })
    const caller = callerIn({ connection, requestId: id, transport, era }, visitor?.())
    let release = () => {}
    this.#peer.onCallBegin?.()
    try {
      const catalog = view.forCall()
      const style = this.#deps.nameStyle()
      const tool = catalog.tools.get(wireCatalog(catalog, style, this.#deps.describe).catalogName(name))
      const accepted = tool && (await this.#seekConsent(tool, catalog, caller, context))
      if (isInputRequiredResult(accepted)) return accepted
      if (accepted) release = accepted
      const { result } = await handleCall(this.#deps, {
        catalog,
        style,
        name,
        // Parsed from JSON, so JSON it is.
        arguments: args as JsonObject,
        signal,
        caller,
        ...(token !== undefined && { progress: this.#progress(context, token) }),
      })
      return this.#project(result, tool?.outputSchema)
    } finally {
      release()
      signal.removeEventListener('abort', aborted)
      this.#peer.onCallEnd?.(id, !signal.aborted)
    }
  }

  /** Asks what has to be asked. Whatever comes of it, the runtime has the last word. */
  async #seekConsent(
    tool: Tool,
    catalog: Catalog,
    caller: Caller,
    context: ServerContext,
  ): Promise<InputRequiredResult | (() => void) | undefined> {
    const question = await this.#deps.consent?.question(tool, catalog, caller)
    const decision = question && (await this.#asker?.ask(question, context))
    if (question === undefined || decision === undefined || decision === 'no') return undefined
    if (typeof decision !== 'string') return decision
    try {
      return await question.accept(decision, caller)
    } catch (error) {
      if (!(error instanceof OrlaError)) throw error
      this.#deps.log.error('cannot keep what was accepted', { error: error.message, hint: error.hint })
      return undefined
    }
  }

  #progress(context: ServerContext, progressToken: string | number): (progress: Progress) => void {
    return (progress) => {
      context.mcpReq
        .notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
        .catch(() => {}) // The client left; the call is told by its signal.
    }
  }

  #project(result: WireResult, outputSchema: JsonObject | undefined): CallToolResult {
    return this.server.projectCallToolResult(result as CallToolResult, outputSchema)
  }
}
