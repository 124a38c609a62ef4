import type { IncomingMessage } from 'node:http'
import type { Limits, Log } from '../model/index.ts'
import { isMetadata } from './access/challenge.ts'
import type { Door } from './access/door.ts'
import type { Identity } from './access/principal.ts'
import { clip } from './describe-message.ts'
import { refusalResponse } from './error-response.ts'
import type { Exchange } from './exchange.ts'
import { type Guards, headerValues, isPreflight, type Refusal, type RequestHead } from './guards.ts'
import type { PlainRequest } from './plain/plain-request.ts'
import { type Body, parseBody } from './read-body.ts'
import { MCP_PATH, routeOf } from './route.ts'

/** What is said to a request before anybody looks at its body. */
export interface Reception {
  /** What to answer whoever it is; undefined when that matters. */
  greet(req: IncomingMessage, exchange: Exchange): Response | undefined
  /** Why someone is not let in; a promise where it takes a while to find out. */
  identify(req: IncomingMessage, exchange: Exchange): Response | undefined | Promise<Response | undefined>
  /** What to answer on sight; undefined for what is the endpoint's. */
  receive(req: IncomingMessage, exchange: Exchange): Response | undefined
  /** The same questions in the same order for an ordinary call; whoever is not simply let through comes again. */
  admitPlain(request: PlainRequest, exchange: Exchange): Body | undefined
  refuse(refusal: Refusal, req: IncomingMessage, exchange: Exchange): Response
}

export interface ReceptionParts {
  readonly guards: Guards
  readonly door: Door
  /** What anyone may know about where to get a token. */
  readonly metadata: (head: RequestHead) => object | undefined
  readonly limits: Limits
  readonly log: Log
  readonly version: string
  readonly metrics: () => string
}

export function createReception(parts: ReceptionParts): Reception {
  const { guards, door, limits, log } = parts

  function greetPage(head: RequestHead, exchange: Exchange): void {
    const cors = guards.cors(head)
    for (const name in cors) exchange.head.push(name, cors[name] ?? '')
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
      remote: exchange.visitor.remote,
      principal: exchange.visitor.principal?.name,
    })
    return refusalResponse(refusal)
  }

  return {
    refuse,
    greet(req, exchange) {
      const refusal = guards.admit(req)
      if (refusal) return refuse(refusal, req, exchange)
      greetPage(req, exchange)
      const metadata = isMetadata(req) ? parts.metadata(req) : undefined
      return metadata && Response.json(metadata)
    },
    identify(req, exchange) {
      if (isPreflight(req)) return undefined
      const settle = (identity: Identity) => {
        if (identity.kind === 'refused') return refuse(identity.refusal, req, exchange)
        const { principal } = identity
        if (principal) exchange.visitor = { ...exchange.visitor, principal }
        return undefined
      }
      const identity = door.identify(req, exchange.visitor)
      return identity instanceof Promise ? identity.then(settle) : settle(identity)
    },
    receive(req, exchange) {
      const route = routeOf(req)
      switch (route.to) {
        case 'refusal':
          return refuse(route.refusal, req, exchange)
        case 'options':
          return new Response(null, { status: 204, headers: { Allow: route.allow } })
        case 'welcome':
          return new Response(welcome(parts.version))
        case 'metrics':
          // They name every tool.
          if (exchange.visitor.principal?.access) return refuse(HIDDEN_METRICS, req, exchange)
          return new Response(parts.metrics(), { headers: { 'Content-Type': METRICS_TYPE } })
        case 'mcp':
          return undefined
      }
    },
    admitPlain(request, exchange) {
      if (door.counts || guards.admit(request) || routeOf(request).to !== 'mcp') return undefined
      const identity = door.identify(request, exchange.visitor)
      if (identity instanceof Promise || identity.kind === 'refused') return undefined
      const { principal } = identity
      if (principal?.access || request.body.length > limits.bodyBytes) return undefined
      if (principal) exchange.visitor = { ...exchange.visitor, principal }
      greetPage(request, exchange)
      return parseBody(request.body)
    },
  }
}

const HIDDEN_METRICS: Refusal = {
  status: 403,
  reason: 'scope',
  message: 'Measurements are for tokens that open every tool',
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

function welcome(version: string): string {
  return `This is Orla ${version}, a server of MCP tools. Point an MCP client at ${MCP_PATH} here.\n`
}
