import type { Socket } from 'node:net'

/** Lets so many connections be served at once; the others wait, unread, and none is dropped. */
export interface Gate {
  readonly connections: number
  readonly waiting: number
  arrive(socket: Socket): void
  /** A request begins and ends on a connection; between requests it is idle. */
  begin(socket: Socket): void
  end(socket: Socket): void
  /** The connection now carries a standing stream, which needs no place. It never comes back. */
  stand(socket: Socket): void
  /** Nothing new: who waits or idles is sent away. */
  stop(): void
  /** Ends every connection, after what was written to it is sent or `graceMs` passed. */
  endAll(graceMs: number): void
}

interface Place {
  requests: number
  standing: boolean
}

/** `admit` gives the socket on which the connection's requests will come: the same, or one that deciphers it. */
export function createGate(limit: number, admit: (socket: Socket) => Socket): Gate {
  const places = new Map<Socket, Place>()
  /** By what arrived. */
  const admitted = new WeakMap<Socket, Socket>()
  const queue = new Set<Socket>()
  /** In the order in which they fell idle. */
  const idle = new Set<Socket>()
  let taken = 0
  let stopped = false

  function enter(socket: Socket): void {
    taken++
    const carrier = admit(socket)
    places.set(carrier, { requests: 0, standing: false })
    admitted.set(socket, carrier)
  }

  function leave(socket: Socket): void {
    queue.delete(socket)
    free(admitted.get(socket) ?? socket)
    fill()
  }

  function free(socket: Socket): void {
    idle.delete(socket)
    const place = places.get(socket)
    if (!place) return
    places.delete(socket)
    if (!place.standing) taken--
  }

  function fill(): void {
    for (const socket of queue) {
      if (taken >= limit) evictLongestIdle()
      if (taken >= limit) return
      queue.delete(socket)
      enter(socket)
    }
  }

  function evictLongestIdle(): void {
    const [longest] = idle
    if (!longest) return
    free(longest)
    longest.destroy()
  }

  return {
    get connections() {
      return places.size + queue.size
    },
    get waiting() {
      return queue.size
    },
    arrive(socket) {
      if (stopped) {
        socket.destroy()
        return
      }
      socket.once('close', () => leave(socket))
      // Until it is admitted nobody else listens, and a reset must not be an uncaught exception.
      socket.on('error', () => socket.destroy())
      queue.add(socket)
      fill()
    },
    begin(socket) {
      idle.delete(socket)
      const place = places.get(socket)
      if (place) place.requests++
    },
    end(socket) {
      const place = places.get(socket)
      if (!place || --place.requests > 0 || place.standing) return
      if (stopped || queue.size > 0) socket.destroySoon()
      else idle.add(socket)
    },
    stand(socket) {
      const place = places.get(socket)
      if (!place || place.standing) return
      place.standing = true
      taken--
      fill()
    },
    stop() {
      stopped = true
      for (const socket of [...queue, ...idle]) socket.destroy()
    },
    endAll(graceMs) {
      for (const socket of [...queue, ...places.keys()]) {
        socket.destroySoon()
        setTimeout(() => socket.destroy(), graceMs).unref()
      }
    },
  }
}
