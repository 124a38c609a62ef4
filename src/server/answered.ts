import type { Caller, Log } from '../model/index.ts'
import { clockMs, milliseconds } from './milliseconds.ts'
import { recovered } from './panic.ts'
import { RpcError } from './rpc-error.ts'

/** Why a request has no result, in words a client can read: of what was thrown, or of a bug of ours. */
export function toRefusal(
  log: Log,
  method: string,
  { requestId, transport, era }: Caller,
  error: unknown,
): RpcError {
  if (error instanceof RpcError) return error
  return recovered(log, error, { rpc_method: method, request_id: requestId, transport, era })
}

/** `startedMs` is of `clockMs`. Over HTTP the whole exchange is timed instead. */
export function logAnswered(log: Log, method: string, caller: Caller, startedMs: number): void {
  if (caller.transport !== 'stdio') return
  log.debug('stdio request', {
    rpc_method: method,
    duration_ms: milliseconds(clockMs() - startedMs),
    connection: caller.connection,
    era: caller.era,
    request_id: caller.requestId,
  })
}
