import type { JsonObject } from '../model/index.ts'

/** What a client is told when a request has no result. `code` and `data` go onto the wire as they are. */
export class RpcError extends Error {
  readonly code: number
  readonly data: JsonObject | undefined

  constructor(code: number, message: string, data?: JsonObject) {
    super(message)
    this.name = 'RpcError'
    this.code = code
    this.data = data
  }
}

export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
  noSession: -32001,
} as const
