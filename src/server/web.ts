import type { IncomingMessage, ServerResponse } from 'node:http'

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
  stallMs: number,
): Promise<void> {
  if (res.destroyed) return response.body?.cancel()
  for (const [name, value] of response.headers) if (name !== 'connection') res.setHeader(name, value)
  res.statusCode = response.status
  if (response.body && response.headers.get('content-type') === 'text/event-stream')
    await sendEvents(response.body, res, stallMs)
  else await sendWhole(Buffer.from(await response.arrayBuffer()), res, stallMs)
  if (res.destroyed) return
  res.end()
  if (!res.writableFinished) await taken(res, 'finish', stallMs)
}

async function sendEvents(body: ReadableStream, res: ServerResponse, stallMs: number): Promise<void> {
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  // Whoever produces the events learns that nobody reads them any more.
  res.once('close', () => void reader.cancel().catch(() => {}))
  res.flushHeaders()
  for (;;) {
    const { value, done } = await reader.read()
    if (done || res.destroyed) return
    if (!res.write(value)) await taken(res, 'drain', stallMs)
  }
}

async function sendWhole(body: Buffer, res: ServerResponse, stallMs: number): Promise<void> {
  if (body.length > 0) res.setHeader('Content-Length', body.length)
  let sent = 0
  for (; body.length - sent > SLICE_BYTES && !res.destroyed; sent += SLICE_BYTES)
    if (!res.write(body.subarray(sent, sent + SLICE_BYTES))) await taken(res, 'drain', stallMs)
  if (sent < body.length && !res.destroyed) res.end(body.subarray(sent))
}

function taken(res: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<void> {
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
