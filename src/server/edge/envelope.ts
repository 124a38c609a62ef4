import { classifyInboundRequest } from '@modelcontextprotocol/server'
import { isJsonObject, type Json, type JsonObject } from '../../model/index.ts'
import { RESERVED } from './revision.ts'

const KNOWN = new Set(
  ['protocolVersion', 'clientCapabilities', 'clientInfo', 'logLevel'].map((key) => RESERVED + key),
)

/** More than any server has kinds of clients. */
const REMEMBERED = 200
const verdicts = new Map<string, boolean>()
let lastSound: JsonObject | undefined

/**
 * Whether the SDK would accept what a modern request says about its client. A client says the same with every
 * request, so the SDK is asked once.
 */
export function isSoundEnvelope(meta: JsonObject): boolean {
  if (isAlike(meta, lastSound)) return true
  const text = JSON.stringify(hasOnlyKnown(meta) ? meta : onlyReserved(meta))
  let sound = verdicts.get(text)
  if (sound === undefined) {
    sound = isAccepted(JSON.parse(text))
    if (verdicts.size >= REMEMBERED) verdicts.clear()
    verdicts.set(text, sound)
  }
  if (sound) lastSound = meta
  return sound
}

function isAlike(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true
  if (!isJsonObject(a) || !isJsonObject(b)) return false
  for (const key in a) if (!isAlike(a[key], b[key])) return false
  for (const key in b) if (!Object.hasOwn(a, key)) return false
  return true
}

function hasOnlyKnown(meta: JsonObject): boolean {
  for (const key in meta) if (!KNOWN.has(key)) return false
  return true
}

/** Without what changes from request to request. */
function onlyReserved(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith(RESERVED)))
}

function isAccepted(envelope: JsonObject): boolean {
  if (!hasOnlyKnown(envelope)) return false
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta: envelope } }
  return classifyInboundRequest({ httpMethod: 'POST', body }).kind === 'modern'
}
