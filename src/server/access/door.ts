import type { CallTool, Json, JsonObject } from '../../model/index.ts'
import { isJsonObject } from '../../model/index.ts'
import type { RefusedCall, ServerDeps } from '../contract.ts'
import type { Exchange } from '../exchange.ts'
import type { Refusal, RequestHead } from '../guards.ts'
import { RPC, RpcError } from '../rpc-error.ts'
import { wireCatalog } from '../wire-tools.ts'
import type { Authenticator } from './authenticator.ts'
import { type ClientLimits, clientOf } from './client-limits.ts'
import { callerOf, type Identity, type Visitor } from './principal.ts'
import { restrictCatalog } from './restricted-catalog.ts'

/** Who may come in, how often, and what for. */
export interface Door {
  /** Whether requests or calls are counted: most servers have no limits. */
  readonly counts: boolean
  /** Who it is, unless it is nobody or comes too often. */
  identify(head: RequestHead, visitor: Visitor): Identity | Promise<Identity>
  /** Why the calls in a message are not made: what was sent is known by now. */
  refuseCalls(body: Json, head: RequestHead, exchange: Exchange): Refusal | undefined
  /** Holds each client to the number of calls it may have running. */
  limited(callTool: CallTool): CallTool
}

export interface DoorParts {
  readonly authenticator: () => Authenticator
  readonly limits: ClientLimits
  readonly deps: Pick<ServerDeps, 'catalog' | 'nameStyle' | 'describe' | 'onRefusedCall'>
}

const TOO_MANY_CALLS = 'Too many calls of this client are running: wait until one has ended'

export function createDoor({ authenticator, limits, deps }: DoorParts): Door {
  /** A name that nobody has proved counts for the address. */
  function counted(identity: Identity, { remote }: Visitor): Identity {
    if (!limits.countsRequests) return identity
    const principal = identity.kind === 'known' ? identity.principal : undefined
    const seconds = limits.take(
      clientOf(callerOf({ ...(principal && { principal }), ...(remote && { remote }) })),
    )
    if (seconds === undefined) return identity
    const refusal = tooMany('rate', 'This client sends more requests than it may', seconds)
    return { kind: 'refused', refusal }
  }

  function forbidden(
    calls: readonly AskedCall[],
    head: RequestHead,
    exchange: Exchange,
  ): Refusal | undefined {
    const access = exchange.visitor.principal?.access
    if (!access) return undefined
    const whole = wireCatalog(deps.catalog(), deps.nameStyle(), deps.describe)
    const seen = restrictCatalog(deps.catalog(), access)
    const own = wireCatalog(seen, deps.nameStyle(), deps.describe)
    for (const call of calls) {
      if (seen.tools.has(own.catalogName(call.name))) continue
      const name = whole.catalogName(call.name)
      // What does not exist is not forbidden.
      if (!deps.catalog().tools.has(name)) continue
      const refusal = authenticator().forbid(head, name, access.scopeFor(name))
      report({ ...call, name }, 'scope', refusal.message, exchange)
      return refusal
    }
    return undefined
  }

  function report(call: AskedCall, reason: RefusedCall['reason'], message: string, exchange: Exchange): void {
    const { connection, session, era = 'modern', visitor } = exchange
    deps.onRefusedCall?.({
      name: call.name,
      arguments: call.arguments,
      reason,
      message,
      caller: {
        connection: session ?? connection,
        requestId: call.id,
        transport: 'http',
        era,
        ...callerOf(visitor),
      },
    })
  }

  return {
    counts: limits.countsRequests || limits.countsCalls,
    identify(head, visitor) {
      const identity = authenticator().identify(head)
      return identity instanceof Promise
        ? identity.then((late) => counted(late, visitor))
        : counted(identity, visitor)
    },
    refuseCalls(body, head, exchange) {
      const { visitor } = exchange
      if (!visitor.principal?.access && !limits.countsCalls) return undefined
      const calls = callsIn(body)
      const [first] = calls
      if (!first) return undefined
      const refusal = forbidden(calls, head, exchange)
      if (refusal || !limits.isFull(clientOf(callerOf(visitor)))) return refusal
      report(first, 'concurrency', TOO_MANY_CALLS, exchange)
      return tooMany('concurrency', TOO_MANY_CALLS, 1)
    },
    limited: (callTool) => async (call) => {
      const end = limits.begin(clientOf(call.caller))
      if (!end) {
        const { name, arguments: args, caller } = call
        deps.onRefusedCall?.({
          name,
          arguments: args,
          caller,
          reason: 'concurrency',
          message: TOO_MANY_CALLS,
        })
        throw new RpcError(RPC.refused, TOO_MANY_CALLS)
      }
      try {
        return await callTool(call)
      } finally {
        end()
      }
    },
  }
}

function tooMany(reason: string, message: string, seconds: number): Refusal {
  return { status: 429, reason, message, headers: { 'Retry-After': String(seconds) } }
}

interface AskedCall {
  readonly id: string | number
  readonly name: string
  readonly arguments: JsonObject
}

/** The calls that a message, or a batch of them, asks for. */
function callsIn(body: Json): readonly AskedCall[] {
  const messages = Array.isArray(body) ? body : [body]
  return messages.flatMap((message: Json) => {
    if (!isJsonObject(message) || message.method !== 'tools/call') return []
    const { id, params } = message
    const { name, arguments: args } = isJsonObject(params) ? params : {}
    if (typeof name !== 'string') return []
    const isId = typeof id === 'string' || typeof id === 'number'
    return [{ id: isId ? id : '', name, arguments: isJsonObject(args) ? args : {} }]
  })
}
