import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isTooDeep, type Json, TOO_DEEP } from '../model/index.ts'
import type { Refusal } from './guards.ts'
import { RPC } from './rpc-error.ts'

export type Body =
  | { readonly kind: 'json'; readonly json: Json }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The client left, or was cut for being slow, before it had sent everything. */
  | { readonly kind: 'gone' }

/** Reads and parses a request body once, never holding more of it than allowed. Calls back once. */
export function readBody(
  req: IncomingMessage,
  res: ServerResponse,
  maxBytes: number,
  onBody: (body: Body) => void,
): void {
  if (Number(req.headers['content-length']) > maxBytes) {
    onBody(tooLarge(maxBytes))
    return
  }
  if (req.headers.expect !== undefined) res.writeContinue()
  let chunks: Buffer[] | undefined = []
  let size = 0
  const finish = (body: () => Body) => {
    if (!chunks) return
    const result = body()
    chunks = undefined
    onBody(result)
  }
  req.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBytes) finish(() => tooLarge(maxBytes))
    else chunks?.push(chunk)
  })
  req.on('end', () => finish(() => parseBody(whole(chunks ?? []))))
  // Without a listener for errors a client that leaves is no error.
  req.on('close', () => finish(() => ({ kind: 'gone' })))
}

function whole(chunks: readonly Buffer[]): Buffer {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Of a body that is there. */
export function parseBody(bytes: Buffer): Body {
  if (isTooDeep(bytes)) return refused(400, 'depth', TOO_DEEP, RPC.invalidRequest)
  try {
    if (isUtf8(bytes)) return { kind: 'json', json: JSON.parse(bytes.toString()) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  return refused(400, 'json', 'The body is not JSON', RPC.parse)
}

function tooLarge(maxBytes: number): Body {
  return refused(413, 'body-size', `The body is larger than ${maxBytes} bytes`)
}

function refused(status: number, reason: string, message: string, code?: number): Body {
  return { kind: 'refused', refusal: { status, reason, message, ...(code !== undefined && { code }) } }
}
