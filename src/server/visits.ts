import type { Socket } from 'node:net'
import type { Log } from '../model/index.ts'
import { type Connection, createConnections } from './connections.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { Gate } from './gate.ts'
import { milliseconds } from './milliseconds.ts'
import type { Outlet } from './outlet.ts'
import { createPending } from './pending.ts'

/** A request on its way through, and what is known about where it came from. */
export interface Visit {
  readonly started: number
  readonly socket: Socket
  readonly connection: Connection
  readonly exchange: Exchange & { end(): void }
  readonly method: string | undefined
}

/** Who is here: counts the requests that have no answer yet, and tells the log of those that have. */
export interface Visits {
  receive(socket: Socket, method: string | undefined): Visit
  begin(visit: Visit, res: Outlet): void
  end(visit: Visit, res: Outlet): void
  /** Nothing of a response was written on this connection yet that an error would corrupt. */
  isSilent(socket: object): boolean
  /** Resolves when nothing but standing streams is left to answer. */
  idle(): Promise<void>
}

export function createVisits({ gate, log }: { readonly gate: Gate; readonly log: Log }): Visits {
  const connections = createConnections()
  const pending = createPending()
  return {
    receive(socket, method) {
      const connection = connections.of(socket)
      const remote = socket.remoteAddress
      const visitor = remote === undefined ? {} : { remote }
      const exchange = createExchange(connection.name, visitor, () => pending.end())
      return { started: performance.now(), socket, connection, exchange, method }
    },
    begin({ connection, socket }, res) {
      connection.open.push(res)
      pending.begin()
      gate.begin(socket)
    },
    end({ connection, socket, exchange, started, method }, res) {
      const place = connection.open.indexOf(res)
      // Told twice that it is gone, it was counted out before.
      if (place === -1) return
      connection.open.splice(place, 1)
      exchange.end()
      gate.end(socket)
      log.debug('http request', {
        method,
        rpc_method: exchange.rpcMethod,
        status: res.statusCode,
        ...(!res.writableFinished && { cut: true }),
        duration_ms: milliseconds(performance.now() - started),
        session: exchange.session,
        connection: connection.name,
        principal: exchange.visitor.principal?.name,
        era: exchange.era,
        request_id: exchange.requestId,
      })
    },
    isSilent: (socket) => connections.isSilent(socket),
    idle: () => pending.idle(),
  }
}
