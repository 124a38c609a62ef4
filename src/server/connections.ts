import type { Socket } from 'node:net'
import type { Outlet } from './outlet.ts'

/** A TCP connection: its name in logs and the responses it still owes, in order. */
export interface Connection {
  readonly name: string
  readonly open: Outlet[]
}

export interface Connections {
  of(socket: Socket): Connection
  /** Nothing of a response was written yet that an error would corrupt. */
  isSilent(socket: object): boolean
}

export function createConnections(): Connections {
  const known = new WeakMap<object, Connection>()
  let count = 0
  return {
    of(socket) {
      let connection = known.get(socket)
      if (!connection) {
        connection = { name: `socket-${++count}`, open: [] }
        known.set(socket, connection)
        const { open } = connection
        socket.once('close', () => closeThoseBehind(open))
      }
      return connection
    },
    isSilent(socket) {
      const { open = [] } = known.get(socket) ?? {}
      return open.length < 2 && open.every((res) => !res.headersSent)
    },
  }
}

/** With a connection, node:http closes the response that is being written, but tells none of those that wait behind it. */
function closeThoseBehind(open: readonly Outlet[]): void {
  const behind = open.filter(({ socket }) => socket === null)
  for (const res of behind) {
    res.destroy()
    res.emit('close')
  }
}
