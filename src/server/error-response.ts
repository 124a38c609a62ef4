import type { Refusal } from './guards.ts'
import { RPC } from './rpc-error.ts'

/** A JSON-RPC error for a request whose id is unknown or does not matter. */
export function errorResponse(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status, headers })
}

export function refusalResponse(refusal: Refusal): Response {
  return errorResponse(refusal.status, refusal.code ?? RPC.refused, refusal.message, refusal.headers)
}
