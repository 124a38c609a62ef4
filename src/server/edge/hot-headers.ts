import type { IncomingHttpHeaders } from 'node:http'
import type { HotRequest } from './hot-request.ts'
import { MODERN } from './revision.ts'

const JSON_TYPE = /^application\/json; *charset=utf-8$/i

/** Nothing in the headers that is common to both eras needs to be looked at more closely. */
export function isPlainPost(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type'] ?? ''
  return type === 'application/json' || JSON_TYPE.test(type)
}

/** Modern headers repeat the body, for those on the way who do not read it. */
export function saysTheSame(headers: IncomingHttpHeaders, request: HotRequest): boolean {
  if (headers['mcp-protocol-version'] !== MODERN || headers['mcp-method'] !== request.method) return false
  if (request.method !== 'tools/call') return true
  return headers['mcp-name'] === request.name && !request.name.startsWith('=?')
}

const LEGACY_VERSIONS: ReadonlySet<unknown> = new Set([
  undefined,
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
])

/** A request within a session, of a client that takes JSON and events. */
export function namesSession(headers: IncomingHttpHeaders): boolean {
  const { accept = '' } = headers
  return (
    headers['mcp-session-id'] !== undefined &&
    LEGACY_VERSIONS.has(headers['mcp-protocol-version']) &&
    accept.includes('application/json') &&
    accept.includes('text/event-stream')
  )
}
