import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Message } from './edge/message.ts'
import type { Outlet } from './outlet.ts'

/**
 * The request as the SDK wants it. Only protocol headers: a token is nobody's business but the guards',
 * and the body travels parsed, beside it.
 */
export function toWebRequest(req: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(req.headers))
    if (typeof value === 'string' && isProtocolHeader(name)) headers.set(name, value)
  return new Request('http://localhost/mcp', { method: req.method ?? 'GET', headers, signal })
}

function isProtocolHeader(name: string): boolean {
  return name.startsWith('mcp-') || name === 'accept' || name === 'content-type' || name === 'last-event-id'
}

/** What a client must take within the time it has. */
const SLICE_BYTES = 256 * 1024

/** Writes a response to its end. A client that takes nothing for `stallMs`, or twice that, is cut. */
export async function sendWebResponse(
  response: Response,
  res: ServerResponse,
  head: readonly string[],
  stallMs: number,
): Promise<void> {
  if (res.destroyed) return response.body?.cancel()
  for (let i = 0; i + 1 < head.length; i += 2) res.setHeader(head[i] ?? '', head[i + 1] ?? '')
  for (const [name, value] of response.headers) if (name !== 'connection') res.setHeader(name, value)
  res.statusCode = response.status
  if (response.body && response.headers.get('content-type') === 'text/event-stream')
    await sendEvents(response.body, res, stallMs)
  else await sendBody(Buffer.from(await response.arrayBuffer()), res, stallMs)
}

/** Writes a JSON message. Same rule. */
export function sendText(message: Message, res: Outlet, headers: readonly string[], stallMs: number): void {
  const [head, tail] = typeof message === 'string' ? [undefined, message] : [message.head, message.tail]
  const bytes = (head?.length ?? 0) + Buffer.byteLength(tail)
  res.writeHead(200, [...headers, 'Content-Type', 'application/json', 'Content-Length', String(bytes)])
  if (bytes > SLICE_BYTES) {
    void sendLong(head ? [head, Buffer.from(tail)] : [Buffer.from(tail)], res, stallMs)
    return
  }
  if (head) {
    beginInOrder(res)
    res.write(head)
  }
  res.end(tail)
  // What the system took at once needs no watching, and that is nearly everything.
  if (res.socket?.writableLength !== 0) void taken(res, 'finish', stallMs)
}

async function sendLong(pieces: readonly Buffer[], res: Outlet, stallMs: number): Promise<void> {
  for (const piece of pieces) await sendSlices(piece, res, stallMs)
  await finish(res, stallMs)
}

async function sendEvents(body: ReadableStream, res: ServerResponse, stallMs: number): Promise<void> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  // Whoever produces the events learns that nobody reads them any more.
  res.once('close', () => void reader.cancel().catch(() => {}))
  res.flushHeaders()
  for (;;) {
    const { value, done } = await reader.read()
    if (done || res.destroyed) break
    if (!res.write(value)) await taken(res, 'drain', stallMs)
  }
  await finish(res, stallMs)
}

async function sendBody(body: Buffer, res: ServerResponse, stallMs: number): Promise<void> {
  if (body.length > 0) res.setHeader('Content-Length', body.length)
  await sendLong([body], res, stallMs)
}

async function sendSlices(body: Buffer, res: Outlet, stallMs: number): Promise<void> {
  if (body.length > 0) beginInOrder(res)
  for (let sent = 0; sent < body.length && !res.destroyed; sent += SLICE_BYTES)
    if (!res.write(body.subarray(sent, sent + SLICE_BYTES))) await taken(res, 'drain', stallMs)
}

/** Of a response that waits behind another, node:http puts the head before a `100 Continue` when bytes are to follow. */
function beginInOrder(res: Outlet): void {
  if (res.socket === null) res.flushHeaders()
}

async function finish(res: Outlet, stallMs: number): Promise<void> {
  if (res.destroyed) return
  res.end()
  if (!res.writableFinished) await taken(res, 'finish', stallMs)
}

/** Waits until the client took what was written, or is cut because it did not. */
export function taken(res: Outlet, event: 'drain' | 'finish', stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    let onTurn = false
    // Behind another response on the same connection it has no socket yet, and nobody is slow.
    const watch = setInterval(() => {
      if (onTurn) res.destroy()
      onTurn = res.socket !== null
    }, stallMs)
    const done = () => {
      clearInterval(watch)
      res.off(event, done)
      res.off('close', done)
      resolve()
    }
    res.on(event, done)
    res.on('close', done)
  })
}
