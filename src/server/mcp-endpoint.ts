import type { IncomingHttpHeaders } from 'node:http'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { Catalog, Json, Limits } from '../model/index.ts'
import { CatalogServer } from './catalog-server.ts'
import { keptView, newestView } from './catalog-view.ts'
import type { EdgeChoice, ListName, ServerDeps } from './contract.ts'
import { createHttpEdge, type StartReply } from './edge/http-edge.ts'
import type { Exchange } from './exchange.ts'
import { createSessions } from './sessions.ts'

/** Both eras of the protocol behind one function, as guarded and parsed HTTP requests reach it. */
export interface McpEndpoint {
  readonly sessions: number
  readonly calls: number
  /** Answers without the SDK if that is possible; false leaves the request to `serve`. */
  serveHot(headers: IncomingHttpHeaders, body: Json, exchange: Exchange, reply: StartReply): boolean
  /** `body` is undefined for methods that have none. */
  serve(request: Request, body: Json | undefined, exchange: Exchange): Promise<Response>
  /** Tells who listens that a list is another. */
  announce(list: ListName): void
  /** The catalogs that clients keep although there is a newer one. */
  held(): readonly Catalog[]
  /** Ends sessions and streams and aborts the calls in flight. */
  close(): Promise<void>
}

export function createMcpEndpoint(deps: ServerDeps, limits: Limits, by: EdgeChoice): McpEndpoint {
  const { log } = deps
  let calls = 0
  const onCallBegin = () => void calls++
  const onCallEnd = () => void calls--

  const exchanges = new WeakMap<Request, Exchange>()
  const newest = newestView(deps.catalog)
  const modern = createMcpHandler(
    // A server for each request: one that is shared leaks between clients.
    ({ requestInfo }) => {
      const exchange = requestInfo && exchanges.get(requestInfo)
      // Who is not known would otherwise see what nobody may.
      if (!exchange) throw new Error('The SDK asks for a server for a request that it was not given')
      return new CatalogServer(deps, {
        connection: exchange.connection,
        transport: 'http',
        era: 'modern',
        view: newest,
        visitor: () => exchange.visitor,
        onCallBegin,
        onCallEnd,
      })
    },
    {
      legacy: 'reject',
      maxSubscriptions: limits.sessions,
      onerror: (error) => log.debug('protocol error', { error: error.message }),
    },
  )

  const sessions = createSessions({
    limit: limits.sessions,
    idleMs: limits.sessionIdleMs,
    log,
    now: () => performance.now(),
    onEnd: ({ view }) => {
      if (view.held()) deps.onHoldersChanged?.()
    },
    createServer: (peer) =>
      new CatalogServer(deps, {
        ...peer,
        transport: 'http',
        era: 'legacy',
        view: keptView(deps.catalog, deps.onHoldersChanged),
        onCallBegin: () => {
          onCallBegin()
          peer.onCallBegin?.()
        },
        onCallEnd: (id, answered) => {
          onCallEnd()
          peer.onCallEnd?.(id, answered)
        },
      }),
  })

  const edge = by === 'own' ? createHttpEdge({ deps, sessions, onCallBegin, onCallEnd }) : undefined

  return {
    get sessions() {
      return sessions.size
    },
    get calls() {
      return calls
    },
    serveHot: (headers, body, exchange, reply) => edge?.serve(headers, body, exchange, reply) ?? false,
    async serve(request, body, exchange) {
      if (await isLegacyRequest(request, body)) {
        exchange.era = 'legacy'
        return sessions.serve(request, body, exchange)
      }
      exchange.era = 'modern'
      exchanges.set(request, exchange)
      return modern.fetch(request, { parsedBody: body })
    },
    announce(list) {
      modern.notify[`${list}Changed`]()
      sessions.announce(list)
    },
    held: () => [...sessions.held()],
    async close() {
      edge?.close()
      sessions.close()
      await modern.close()
    },
  }
}
