import type { IncomingHttpHeaders } from 'node:http'
import type { RequestHead } from '../guards.ts'

/** A request about which there is nothing to wonder. Its headers are here without the length, which is the body's. */
export interface PlainRequest extends RequestHead {
  readonly method: 'POST'
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Reads the ordinary call: one piece that holds one whole POST to the endpoint and nothing else. Undefined at the first
 * doubt; then the bytes are for node:http, which knows all of HTTP and refuses what is none.
 */
export type ReadPlainRequest = (piece: Buffer) => PlainRequest | undefined

/** One for each connection: a client says nearly the same with every request. */
export function createPlainReader(): ReadPlainRequest {
  let known: PlainHead | undefined
  return (piece) => {
    const end = piece.indexOf('\r\n\r\n')
    if (end === -1 || end > HEAD_BYTES) return undefined
    const text = piece.toString('latin1', 0, end + 2)
    const head = isAlike(text, known) ? known : readHead(text)
    if (!head) return undefined
    known = head
    const length = text.slice(head.before.length, text.length - head.behind.length)
    const body = piece.subarray(end + 4)
    if (!LENGTH.test(length) || Number(length) !== body.length) return undefined
    const { rawHeaders, headers } = head
    return { method: 'POST', url: '/mcp', rawHeaders, headers, body }
  }
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

interface PlainHead {
  /** The text on both sides of the number that is the length. */
  readonly before: string
  readonly behind: string
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingHttpHeaders
}

/** The same but for what stands where the length does. */
function isAlike(text: string, head: PlainHead | undefined): head is PlainHead {
  if (!head || text.length <= head.before.length + head.behind.length) return false
  return text.startsWith(head.before) && text.endsWith(head.behind)
}

function readHead(text: string): PlainHead | undefined {
  if (!text.startsWith(START) || !LINES.test(text.slice(START.length))) return undefined
  const rawHeaders: string[] = []
  const headers: IncomingHttpHeaders = {}
  let length: { readonly from: number; readonly to: number } | undefined
  for (let at = START.length; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const next = text.indexOf('\r\n', colon)
    const name = text.slice(at, colon)
    const value = text.slice(colon + 1, next).trim()
    const key = name.toLowerCase()
    // What is said twice is not ordinary, whatever it is.
    if (NOT_PLAIN.has(key) || headers[key] !== undefined) return undefined
    if (key !== 'content-length') {
      headers[key] = value
      rawHeaders.push(name, value)
    } else {
      if (length) return undefined
      const from = text.indexOf(value, colon + 1)
      length = { from, to: from + value.length }
    }
    at = next + 2
  }
  if (!length || (headers.connection ?? 'keep-alive').toLowerCase() !== 'keep-alive') return undefined
  return { before: text.slice(0, length.from), behind: text.slice(length.to), rawHeaders, headers }
}
