import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Log } from '../model/index.ts'

/** Answers what never became a request: too slow, too long, or not HTTP. */
export function refuseBrokenRequests(http: Server, log: Log): void {
  const refused = new WeakSet<object>()
  const open = new WeakMap<object, Set<ServerResponse>>()
  const opened = ({ socket }: IncomingMessage, res: ServerResponse) => {
    const responses = open.get(socket) ?? new Set()
    open.set(socket, responses.add(res))
    res.once('close', () => responses.delete(res))
  }
  http.on('request', opened)
  http.on('checkContinue', opened)
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
    if (socket.writable && isSilent(open.get(socket)))
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
        socket.destroy(),
      )
    else socket.destroy()
  })
}

/** Nothing of a response was written yet that an error would corrupt. */
function isSilent(responses: ReadonlySet<ServerResponse> | undefined): boolean {
  if (!responses || responses.size === 0) return true
  return responses.size === 1 && [...responses].every((res) => !res.headersSent)
}

function verdict(code: string | undefined): [status: string, reason: string] {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return ['408 Request Timeout', 'slow']
  if (code === 'HPE_HEADER_OVERFLOW') return ['431 Request Header Fields Too Large', 'headers-size']
  return ['400 Bad Request', 'http']
}
