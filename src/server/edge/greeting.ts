import { isJsonObject, type Json } from '../../model/index.ts'
import { isCapabilities, isClientInfo } from './client-shape.ts'
import { hasOnly, hasReserved, isId, isNote, REQUEST_KEYS } from './message-shape.ts'

/** `initialize` as an ordinary client of the legacy era sends it. */
export interface Greeting {
  readonly id: string | number
  /** Spoken here, so it is what both agree on. */
  readonly protocolVersion: string
}

/** Undefined when it is another message, or anything about it is doubtful: the SDK negotiates that. */
export function greetingOf(message: Json): Greeting | undefined {
  if (!isJsonObject(message) || !hasOnly(message, REQUEST_KEYS)) return undefined
  const { jsonrpc, id, method, params } = message
  if (jsonrpc !== '2.0' || method !== 'initialize' || !isId(id)) return undefined
  if (!isJsonObject(params) || !hasOnly(params, PARAM_KEYS)) return undefined
  const { protocolVersion, capabilities = null, clientInfo = null, _meta = {} } = params
  if (typeof protocolVersion !== 'string' || !SPOKEN.has(protocolVersion)) return undefined
  if (!isCapabilities(capabilities) || !isClientInfo(clientInfo) || !isPlainMeta(_meta)) return undefined
  return { id, protocolVersion }
}

/** The client has read the answer. Nothing here waits for that. */
export function isInitialized(message: Json): boolean {
  return isNote(message) && message.method === 'notifications/initialized' && message.params === undefined
}

function isPlainMeta(meta: Json): boolean {
  if (!isJsonObject(meta) || hasReserved(meta)) return false
  return meta.progressToken === undefined || isId(meta.progressToken)
}

const PARAM_KEYS: ReadonlySet<string> = new Set(['protocolVersion', 'capabilities', 'clientInfo', '_meta'])

/** The SDK speaks them all, and answers whoever asks for another one. */
const SPOKEN: ReadonlySet<string> = new Set([
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
])
