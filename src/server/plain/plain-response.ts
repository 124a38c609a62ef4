import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Outlet } from '../outlet.ts'

/** The answer to a plain request, written to the socket as node:http would write it. */
export interface PlainResponse extends Outlet {
  /** The connection has room again, and is gone. */
  drained(): void
  gone(): void
}

export interface PlainResponseParts {
  readonly socket: Socket
  /** What the client is told about how long its connection is kept. */
  readonly keepAliveMs: number
  /** Once: it was sent, or will never be. */
  readonly onClose: () => void
}

export function createPlainResponse(parts: PlainResponseParts): PlainResponse {
  return new Response(parts)
}

class Response extends EventEmitter implements PlainResponse {
  readonly statusCode = 200
  headersSent = false
  writableEnded = false
  writableFinished = false
  destroyed = false
  /** Written with the first piece, so that a short answer leaves at once. */
  #head = ''
  #isChunked = false
  #isLast = false
  readonly #parts: PlainResponseParts

  constructor(parts: PlainResponseParts) {
    super()
    this.#parts = parts
  }

  get socket(): Socket {
    return this.#parts.socket
  }

  get writableNeedDrain(): boolean {
    return this.socket.writableNeedDrain
  }

  writeHead(_status: 200, headers: readonly string[]): void {
    let head = 'HTTP/1.1 200 OK\r\n'
    this.#isChunked = true
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i] ?? ''
      if (name === 'Content-Length') this.#isChunked = false
      if (name === 'Connection') this.#isLast = true
      head += `${name}: ${headers[i + 1]}\r\n`
    }
    head += `Date: ${dateNow()}\r\n`
    if (!this.#isLast)
      head += `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds(this.#parts.keepAliveMs)}\r\n`
    this.#head = `${head}${this.#isChunked ? 'Transfer-Encoding: chunked\r\n' : ''}\r\n`
    this.headersSent = true
  }

  flushHeaders(): void {
    this.#write('')
  }

  write(piece: string | Buffer): boolean {
    if (!this.#isChunked) return this.#write(piece)
    return this.#write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece.toString()}\r\n`)
  }

  end(piece = ''): void {
    if (this.writableEnded || this.destroyed) return
    this.writableEnded = true
    if (!this.#isChunked) this.#write(piece)
    else if (piece === '') this.#write('0\r\n\r\n')
    else this.#write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n0\r\n\r\n`)
    // What the system took at once needs no waiting, and that is nearly everything.
    if (this.socket.writableLength === 0) this.#finish()
    else this.socket.write('', () => this.#finish())
  }

  destroy(): void {
    this.socket.destroy()
  }

  drained(): void {
    this.emit('drain')
  }

  gone(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
    this.#parts.onClose()
  }

  #finish(): void {
    if (this.destroyed || this.socket.destroyed) return
    this.writableFinished = true
    this.emit('finish')
    this.gone()
    if (this.#isLast) this.socket.destroySoon()
  }

  #write(piece: string | Buffer): boolean {
    const head = this.#head
    this.#head = ''
    if (typeof piece === 'string') return head + piece === '' || this.socket.write(head + piece)
    this.socket.cork()
    if (head !== '') this.socket.write(head)
    const isTaken = this.socket.write(piece)
    this.socket.uncork()
    return isTaken
  }
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000)
}

let date = ''
let dateUntil = 0

/** Of this second. */
function dateNow(): string {
  const now = Date.now()
  if (now >= dateUntil || now < dateUntil - 1_000) {
    date = new Date(now).toUTCString()
    dateUntil = now - (now % 1_000) + 1_000
  }
  return date
}
