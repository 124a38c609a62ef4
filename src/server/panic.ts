import type { Log, LogFields } from '../model/index.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** Something of ours broke while it served a request: say so in full in the log, in short to the client. */
export function recovered(log: Log, error: unknown, fields: LogFields): RpcError {
  log.error('recovered panic', {
    ...fields,
    error: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
  })
  return new RpcError(RPC.internal, 'Orla itself failed here; its log says more')
}
