import { isJsonObject, type Json } from '../model/index.ts'
import type { Exchange } from './exchange.ts'

/** Writes down what the log says about a message. */
export function describeMessage(body: Json, exchange: Exchange): void {
  if (Array.isArray(body)) exchange.rpcMethod = `batch of ${body.length}`
  if (!isJsonObject(body)) return
  const { method, id } = body
  if (typeof method === 'string') exchange.rpcMethod = clip(method)
  if (typeof id === 'string') exchange.requestId = clip(id)
  if (typeof id === 'number') exchange.requestId = id
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
