import {
  type Call,
  type Caller,
  type Catalog,
  ERRORS,
  type JsonObject,
  OrlaError,
  type Progress,
} from '../model/index.ts'
import { wholeCatalog } from './access/restricted-catalog.ts'
import type { NameStyle, ServerDeps } from './contract.ts'
import { clip } from './describe-message.ts'
import { recovered } from './panic.ts'
import { toWireResult, type WrittenResult } from './result.ts'
import { RpcError } from './rpc-error.ts'
import { wireCatalog } from './wire-tools.ts'

export interface CallRequest {
  readonly catalog: Catalog
  readonly style: NameStyle
  /** As the client wrote it. */
  readonly name: string
  readonly arguments: JsonObject
  readonly signal: AbortSignal
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly caller: Caller
}

/** `tools/call`, whatever the era. A failing tool is a result; only what is not a tool's doing throws. */
export async function handleCall(
  deps: Pick<ServerDeps, 'callTool' | 'log' | 'describe'>,
  request: CallRequest,
): Promise<WrittenResult> {
  const name = wireCatalog(request.catalog, request.style, deps.describe).catalogName(request.name)
  const progress = request.progress && rising(request.progress)
  const catalog = wholeCatalog(request.catalog)
  try {
    if (catalog !== request.catalog && !request.catalog.tools.has(name)) throw hiddenTool(name)
    const { arguments: args, signal, caller } = request
    const call: Call = { catalog, name, arguments: args, signal, caller }
    const result = await deps.callTool(progress ? { ...call, progress: progress.report } : call)
    return toWireResult(result, catalog.tools.get(name))
  } catch (error) {
    throw toRpcError(error, name, request, deps)
  } finally {
    progress?.stop()
  }
}

/** Who may not call a tool is told the same as if there were none. */
function hiddenTool(name: string): OrlaError {
  return new OrlaError('E_TOOL_NOT_FOUND', `there is no tool \`${clip(name)}\``, {
    hint: 'list the tools to see them',
  })
}

/** The protocol wants progress to rise, and none after the answer. */
function rising(send: (progress: Progress) => void) {
  let last = Number.NEGATIVE_INFINITY
  return {
    report: (progress: Progress) => {
      if (!(progress.progress > last)) return
      last = progress.progress
      send(progress)
    },
    stop: () => {
      last = Number.POSITIVE_INFINITY
    },
  }
}

function toRpcError(
  error: unknown,
  tool: string,
  request: CallRequest,
  deps: Pick<ServerDeps, 'log'>,
): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof OrlaError) {
    const { code, hint } = error
    const message = hint === undefined ? error.message : `${error.message} (${hint})`
    return new RpcError(ERRORS[code].rpc, message, { code, ...(hint !== undefined && { hint }) })
  }
  const { requestId, transport, era } = request.caller
  return recovered(deps.log, error, { tool, request_id: requestId, transport, era })
}
