import { isJsonObject, type Json, type JsonObject } from '../../model/index.ts'
import { RESERVED } from './revision.ts'

export const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])

const NOTE_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'method', 'params'])

/** Whether nobody waits for an answer to it. */
export function isNote(message: Json): message is JsonObject {
  return isJsonObject(message) && hasOnly(message, NOTE_KEYS) && message.jsonrpc === '2.0'
}

export function hasOnly(object: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false
  return true
}

export function isId(value: Json | undefined): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

export function hasReserved(meta: JsonObject): boolean {
  for (const key in meta) if (key.startsWith(RESERVED)) return true
  return false
}
