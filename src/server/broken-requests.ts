import type { Server } from 'node:http'
import { Socket } from 'node:net'
import type { Log } from '../model/index.ts'

/** Answers what never became a request: too slow, too long, or not HTTP. */
export function refuseBrokenRequests(http: Server, log: Log, isSilent: (socket: object) => boolean): void {
  const refused = new WeakSet<object>()
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    const [status, reason] = verdict(error.code)
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE')
      log.warn('request refused', {
        reason,
        status: Number.parseInt(status, 10),
        remote: socket instanceof Socket ? socket.remoteAddress : undefined,
      })
    if (socket.writable && isSilent(socket))
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
        socket.destroy(),
      )
    else socket.destroy()
  })
}

/** What node:http calls a client that takes too long to ask. */
export class RequestTimeout extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}

function verdict(code: string | undefined): [status: string, reason: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'slow']
  if (code === 'HPE_HEADER_OVERFLOW') return ['431 Request Header Fields Too Large', 'headers-size']
  return ['400 Bad Request', 'http']
}
