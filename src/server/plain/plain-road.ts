import type { Socket } from 'node:net'
import { createPlainReader, type PlainRequest } from './plain-request.ts'
import { createPlainResponse, type PlainResponse } from './plain-response.ts'

/** Serves connections for as long as nothing but ordinary calls comes on them; the rest is node:http's, for good. */
export interface PlainRoad {
  take(socket: Socket): void
  close(): void
}

export interface PlainRoadParts {
  /** How long a client may be silent: before its first request, and between two. */
  readonly headersMs: number
  readonly keepAliveMs: number
  readonly checkMs: number
  /** Sees to the answer, or leaves the request alone: then it is for node:http. */
  readonly serve: (request: PlainRequest, socket: Socket, respond: Respond) => boolean
  /** The connection is node:http's from here on, and so is what was read. */
  readonly handOver: (socket: Socket) => void
  readonly onSilent: (socket: Socket) => void
}

/** Makes the response to the request in hand; `onClose` is called when that has left or never will. */
export type Respond = (onClose: () => void) => PlainResponse

/** What is kept of the next requests while one is answered; for more the client has to wait. */
const AHEAD_BYTES = 64 * 1024

export function createPlainRoad(parts: PlainRoadParts): PlainRoad {
  const { headersMs, keepAliveMs, checkMs } = parts
  const connections = new Set<PlainConnection>()
  const checks = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) connection.check(now)
  }, checkMs).unref()

  function open(socket: Socket): PlainConnection {
    const read = createPlainReader()
    let response: PlainResponse | undefined
    let ahead: Buffer[] = []
    let aheadBytes = 0
    let idleSince = performance.now()
    let isFresh = true

    const respond: Respond = (onClose) => {
      response = createPlainResponse({
        socket,
        keepAliveMs,
        onClose() {
          response = undefined
          idleSince = performance.now()
          onClose()
          if (ahead.length > 0) setImmediate(goOn)
        },
      })
      return response
    }

    function onData(piece: Buffer): void {
      if (!socket.writable) return // It was told, or told us, that nothing more comes of it.
      if (response || ahead.length > 0) {
        ahead.push(piece)
        aheadBytes += piece.length
        if (aheadBytes >= AHEAD_BYTES) socket.pause()
        return
      }
      isFresh = false
      const request = read(piece)
      if (!request || !parts.serve(request, socket, respond)) handOver(piece)
    }

    function goOn(): void {
      if (!connections.has(connection)) return
      const piece = Buffer.concat(ahead)
      ahead = []
      aheadBytes = 0
      socket.resume()
      onData(piece)
    }

    function handOver(piece: Buffer): void {
      leave()
      socket.pause()
      socket.unshift(piece)
      parts.handOver(socket)
    }

    const onEnd = () => socket.end()
    const onDrain = () => response?.drained()
    const onClose = () => {
      leave()
      response?.gone()
    }

    function leave(): void {
      connections.delete(connection)
      socket.off('data', onData).off('end', onEnd).off('drain', onDrain).off('close', onClose)
    }

    const connection = {
      check(now: number) {
        if (response || ahead.length > 0) return
        if (isFresh && now - idleSince >= headersMs) {
          leave()
          parts.onSilent(socket)
        } else if (now - idleSince >= keepAliveMs) socket.destroy()
      },
    }
    socket.on('data', onData).on('end', onEnd).on('drain', onDrain).on('close', onClose)
    return connection
  }

  return {
    take(socket) {
      connections.add(open(socket))
      socket.resume()
    },
    close: () => clearInterval(checks),
  }
}

interface PlainConnection {
  check(now: number): void
}
