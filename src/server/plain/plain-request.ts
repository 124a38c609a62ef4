import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead } from '../guards.ts'

/** A request about which there is nothing to wonder. */
export interface PlainRequest extends RequestHead {
  readonly method: 'POST'
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const START = 'POST /mcp HTTP/1.1\r\n'
/** Names of letters, digits and hyphens, values of printable ASCII, every line ended as it should be. */
const LINES = /^(?:[A-Za-z0-9-]+:[\t\x20-\x7e]*\r\n)+$/
const LENGTH = /^[1-9][0-9]{0,6}$/
const HEAD_BYTES = 8_192

/** They change how a message is read, or what becomes of its connection. */
const NOT_PLAIN: ReadonlySet<string> = new Set([
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Reads the ordinary call: one piece that holds one whole POST to the endpoint and nothing else. Undefined at the first
 * doubt; then the bytes are for node:http, which knows all of HTTP and refuses what is none.
 */
export function readPlainRequest(piece: Buffer): PlainRequest | undefined {
  const end = piece.indexOf('\r\n\r\n')
  if (end === -1 || end > HEAD_BYTES) return undefined
  const text = piece.toString('latin1', 0, end + 2)
  if (!text.startsWith(START)) return undefined
  const lines = text.slice(START.length)
  if (!LINES.test(lines)) return undefined
  const rawHeaders: string[] = []
  const headers: IncomingHttpHeaders = {}
  for (let at = 0; at < lines.length; ) {
    const colon = lines.indexOf(':', at)
    const next = lines.indexOf('\r\n', colon)
    const name = lines.slice(at, colon)
    const value = lines.slice(colon + 1, next).trim()
    const key = name.toLowerCase()
    // What is said twice is not ordinary, whatever it is.
    if (NOT_PLAIN.has(key) || headers[key] !== undefined) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
    at = next + 2
  }
  const { connection, 'content-length': length = '' } = headers
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined
  const body = piece.subarray(end + 4)
  if (!LENGTH.test(length) || Number(length) !== body.length) return undefined
  return { method: 'POST', url: '/mcp', rawHeaders, headers, body }
}
