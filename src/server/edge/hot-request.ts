import { isJsonObject, type Json, type JsonObject } from '../../model/index.ts'
import { hasOnly, hasReserved, isId, REQUEST_KEYS } from './message-shape.ts'
import { MODERN, VERSION_KEY } from './revision.ts'

/** A request that is answered here. What is not exactly of this shape is the SDK's to judge. */
export type HotRequest = HotCall | HotPlain

export interface HotCall {
  readonly method: 'tools/call'
  readonly era: 'modern' | 'legacy'
  readonly id: string | number
  /** As the client wrote it. */
  readonly name: string
  readonly arguments: JsonObject
  readonly progressToken: string | number | undefined
}

export interface HotPlain {
  readonly method: 'tools/list' | 'server/discover' | 'ping'
  readonly era: 'modern' | 'legacy'
  readonly id: string | number
}

const NONE: JsonObject = {}

/** Whether the SDK would accept what a modern request says about its client. */
export type IsSoundEnvelope = (meta: JsonObject) => boolean

export function hotRequest(message: Json, isSoundEnvelope: IsSoundEnvelope): HotRequest | undefined {
  if (!isJsonObject(message) || !hasOnly(message, REQUEST_KEYS)) return undefined
  const { jsonrpc, id, method, params = NONE } = message
  if (jsonrpc !== '2.0' || !isId(id) || !isJsonObject(params)) return undefined
  const { _meta: meta = NONE } = params
  if (!isJsonObject(meta) || !(meta.progressToken === undefined || isId(meta.progressToken))) return undefined
  const era = eraOf(meta, isSoundEnvelope)
  if (!era) return undefined
  if (method === 'tools/call') return hotCall(id, era, params, meta.progressToken)
  if (!isPlainMethod(method, era) || !hasOnly(params, PLAIN_KEYS)) return undefined
  return { method, era, id }
}

function isPlainMethod(method: Json | undefined, era: 'modern' | 'legacy'): method is HotPlain['method'] {
  return method === 'tools/list' || method === (era === 'modern' ? 'server/discover' : 'ping')
}

function hotCall(
  id: string | number,
  era: 'modern' | 'legacy',
  params: JsonObject,
  progressToken: string | number | undefined,
): HotCall | undefined {
  if (!hasOnly(params, CALL_KEYS)) return undefined
  const { name, arguments: args = NONE } = params
  if (typeof name !== 'string' || !isJsonObject(args) || Object.hasOwn(args, '__proto__')) return undefined
  return { method: 'tools/call', era, id, name, arguments: args, progressToken }
}

/** The era its `_meta` says; undefined when that has to be looked at more closely. */
function eraOf(meta: JsonObject, isSoundEnvelope: IsSoundEnvelope): 'modern' | 'legacy' | undefined {
  if (meta[VERSION_KEY] === undefined) return hasReserved(meta) ? undefined : 'legacy'
  return meta[VERSION_KEY] === MODERN && isSoundEnvelope(meta) ? 'modern' : undefined
}

const PLAIN_KEYS: ReadonlySet<string> = new Set(['_meta'])
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])
