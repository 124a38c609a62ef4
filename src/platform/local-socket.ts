import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A place on this machine where one user's programs ask another of their programs. */
export interface LocalSocket {
  readonly path: string
  close(): void
}

/** The kernel's limit for the path of a socket, without the zero behind it (macOS is the strictest). */
const LONGEST_PATH = 103
const LONGEST_REQUEST = 65_536

/**
 * Answers one line of JSON with one line of JSON. Only the user may connect. Where the path is too long for a
 * socket, one in the temporary folder is used, so ask for `path` afterwards.
 */
export function listenLocal(
  wanted: string,
  answer: (request: unknown) => Promise<unknown>,
): Promise<LocalSocket> {
  const path =
    Buffer.byteLength(wanted) <= LONGEST_PATH ? wanted : join(mkdtempSync(join(tmpdir(), 'orla-')), 'socket')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {}) // who asked is gone
    readLine(socket, LONGEST_REQUEST, (line) => {
      void answer(parse(line)).then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    rmSync(path, { force: true })
    // The socket is born with no rights for anyone else.
    const mask = process.umask(0o177)
    server.listen(path, () => {
      server.unref()
      resolve({
        path,
        close() {
          server.close()
          for (const socket of sockets) socket.destroy()
          if (path !== wanted) rmSync(dirname(path), { recursive: true, force: true })
        },
      })
    })
    process.umask(mask)
  })
}

/** Sends one line and resolves to the answer. Rejects when nobody listens, or the time is over. */
export function askLocal(path: string, request: unknown, timeoutMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path)
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error('no answer in time')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
    readLine(socket, Number.POSITIVE_INFINITY, (line) => {
      resolve(parse(line))
      socket.destroy()
    })
    socket.write(`${JSON.stringify(request)}\n`)
  })
}

function readLine(socket: Socket, limit: number, onLine: (line: string) => void): void {
  const chunks: Buffer[] = []
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    const end = chunk.indexOf(10)
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end))
    bytes += chunk.length
    if (bytes > limit) socket.destroy()
    else if (end >= 0) {
      socket.removeAllListeners('data')
      onLine(Buffer.concat(chunks).toString())
    }
  })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
