import type { Agent, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { type Reach, reachOf } from './address.ts'
import { redirectProblem } from './hop.ts'
import { type HttpBody, readBody } from './http-body.ts'
import { meaningOf } from './http-failure.ts'
import { type Hop, redirected } from './http-redirect.ts'
import { Refused, refuseAddress, refuseHost } from './http-refusal.ts'
import { judgedLookup, type ResolveName } from './http-request.ts'
import { shownUrl } from './shown-url.ts'

/** Sends requests to other machines. Nothing throws: what the network does is a value. */
export interface HttpClient {
  send(message: HttpMessage): Promise<HttpAnswer>
  /** Drops the connections it kept. */
  close(): void
}

export interface HttpMessage {
  readonly method: string
  readonly url: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Of the answer, unpacked. */
  readonly maxBytes: number
}

export type HttpAnswer =
  | ({ readonly kind: 'answer'; readonly status: number; readonly headers: IncomingHttpHeaders } & HttpBody)
  /** The URL, or where it redirects, is not asked. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Nobody heard the request. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** It was sent, and what came back is no answer. */
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'cancelled' }

interface HttpClientOptions {
  /** Asks the system unless told. */
  readonly resolve?: ResolveName
  /** For addresses that the operator wrote and nobody else could have: names may lead into a private network. */
  readonly mayReachPrivate?: boolean
}

const MAX_REDIRECTS = 5
/** Shorter than servers keep theirs: a request should not meet a connection that is just being closed. */
const KEPT_FOR_MS = 2_000
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export function createHttpClient({ resolve, mayReachPrivate }: HttpClientOptions = {}): HttpClient {
  const agents = new Map<string, Agent>()

  /** A kept connection was judged for the same name by the same rules. */
  async function agentFor(protocol: string): Promise<Agent> {
    const { Agent } = await (protocol === 'https:' ? import('node:https') : import('node:http'))
    const agent = agents.get(protocol) ?? new Agent({ keepAlive: true, timeout: KEPT_FOR_MS })
    agents.set(protocol, agent)
    return agent
  }

  async function ask(hop: Hop, message: HttpMessage): Promise<Heard> {
    const { url, cameFrom } = hop
    const refusal = mayReachPrivate ? undefined : refuseHost(url, cameFrom)
    if (refusal !== undefined) throw refusal
    const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
    const options: RequestOptions = {
      method: hop.method,
      agent: await agentFor(url.protocol),
      signal: message.signal,
      ...(!mayReachPrivate && {
        lookup: judgedLookup((address) => refuseAddress(url, address, cameFrom), resolve),
      }),
      headers: { 'user-agent': 'orla', 'accept-encoding': 'gzip', ...hop.headers },
    }
    const attempt = () =>
      new Promise<Heard>((settle, reject) => {
        const sent = request(url, options, (response) => {
          // Asked at once: a connection that is given back has no address any more.
          settle({ response, reach: reachOf(response.socket.remoteAddress ?? '') })
        })
        sent.on('error', (error) => reject(sent.reusedSocket ? new Stale(error) : error))
        sent.end(hop.body)
      })
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      // The other side let go of a kept connection. Doing something twice would be worse than saying so.
      if (message.signal.aborted || !REPEATABLE.has(hop.method)) throw error.cause
      return await attempt()
    }
  }

  async function follow(message: HttpMessage, onHeard: () => void): Promise<HttpAnswer> {
    let hop: Hop = { ...message, url: new URL(message.url), cameFrom: undefined }
    const allowHttp = hop.url.protocol === 'http:'
    for (let hops = 0; ; hops++) {
      const { response, reach } = await ask(hop, message)
      onHeard()
      const { statusCode: status = 0, headers } = response
      const { location } = headers
      if (!REDIRECTS.has(status) || location === undefined)
        return { kind: 'answer', status, headers, ...(await readBody(response, message.maxBytes)) }
      response.destroy()
      if (hops === MAX_REDIRECTS) throw new Refused(`it redirects more than ${MAX_REDIRECTS} times`)
      if (!URL.canParse(location, hop.url.href))
        throw new Refused('it redirects to something that is not an address')
      const next = new URL(location, hop.url)
      const problem = redirectProblem(hop.url, next, allowHttp)
      if (problem !== undefined)
        throw new Refused(`it redirects to ${shownUrl(next.origin + next.pathname)}: ${problem}`)
      hop = redirected(hop, next, status, reach)
    }
  }

  return {
    async send(message) {
      if (message.signal.aborted) return { kind: 'cancelled' }
      let isHeard = false
      try {
        return await follow(message, () => {
          isHeard = true
        })
      } catch (error) {
        return message.signal.aborted ? { kind: 'cancelled' } : meaningOf(error, message.url, isHeard)
      }
    },
    close() {
      for (const agent of agents.values()) agent.destroy()
      agents.clear()
    },
  }
}

interface Heard {
  readonly response: IncomingMessage
  readonly reach: Reach
}

const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])

class Stale extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
  }
}
