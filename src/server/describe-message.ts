import { isJsonObject, type Json } from '../model/index.ts'
import type { Exchange } from './exchange.ts'

/** What the log says about a message. */
export function describeMessage(body: Json): Pick<Exchange, 'rpcMethod' | 'requestId'> {
  if (Array.isArray(body)) return { rpcMethod: `batch of ${body.length}` }
  if (!isJsonObject(body)) return {}
  const { method, id } = body
  return {
    ...(typeof method === 'string' && { rpcMethod: clip(method) }),
    ...(typeof id === 'string' && { requestId: clip(id) }),
    ...(typeof id === 'number' && { requestId: id }),
  }
}

/** A request, or a batch that may hold one; a notification, a response or no message at all is not. */
export function wantsAnswer(body: Json | undefined): boolean {
  if (Array.isArray(body)) return true
  return isJsonObject(body) && body.method !== undefined && body.id !== undefined
}

/** A client chose these words, so not too many of them. */
export function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`
}
