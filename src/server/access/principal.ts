import type { Caller } from '../../model/index.ts'
import type { Refusal } from '../guards.ts'

/** Who sends a request, as far as it proved it. */
export interface Principal {
  /** The same for the same one, whatever token it comes with: `token:ci`, `oauth:SUBJECT`. */
  readonly name: string
  /** Absent: all tools. */
  readonly access?: Access
}

/** Who has the one token of the server. */
export const SERVER_TOKEN = 'token'

/** The tools that someone may see and call. One object for everyone who may do the same. */
export interface Access {
  allows(tool: string): boolean
  /** The scope that would open the tool; undefined when none would. */
  scopeFor(tool: string): string | undefined
}

/** Who is at the other end of a connection. */
export interface Visitor {
  readonly principal?: Principal
  /** Its address. */
  readonly remote?: string
}

export type Identity =
  | { readonly kind: 'known'; readonly principal: Principal | undefined }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** The fields of a caller that tell who it is. */
export function callerOf({ principal, remote }: Visitor): { principal?: string; remote?: string } {
  return {
    ...(principal && { principal: principal.name }),
    ...(remote !== undefined && { remote }),
  }
}

/** The same, of one request. Added to it and not spread: what is put together from parts is slow for all who read it. */
export function callerIn(request: Omit<Caller, 'principal' | 'remote'>, visitor: Visitor = {}): Caller {
  const { connection, requestId, transport, era } = request
  const caller: { -readonly [K in keyof Caller]: Caller[K] } = { connection, requestId, transport, era }
  if (visitor.principal) caller.principal = visitor.principal.name
  if (visitor.remote !== undefined) caller.remote = visitor.remote
  return caller
}
