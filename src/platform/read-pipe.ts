import { fstatSync } from 'node:fs'
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'

/** All pipes read into the same room: what came is copied out before anything else is read. */
const room = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * A stream of what comes through the pipe or socket with this descriptor. Left to itself, Node makes room of 64 KB
 * for every read and gives most of it back, which for a short message costs more than all else about reading it.
 */
export function readPipe(fd: number): Socket {
  // The types know `onread` for sockets that connect only; Node takes it for all.
  const options: SocketConstructorOpts & { readonly onread: OnReadOpts } = {
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: room,
      // False stops the reading until somebody asks for more, as with any stream.
      callback: (length) => socket.push(Buffer.from(room.subarray(0, length))),
    },
  }
  const socket = new Socket(options)
  return socket
}

export function isPipe(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isFIFO() || stat.isSocket()
}
