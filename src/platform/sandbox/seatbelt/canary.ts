import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'

/** Somebody to reach: a port of the loopback and a socket, which only a program that is not held finds. */
export interface Canary {
  readonly port: number
  readonly socket: string
  /** How often it was reached. */
  reached(): number
  close(): void
}

export async function openCanary(folder: string): Promise<Canary> {
  let count = 0
  const greet = (peer: Socket) => {
    count += 1
    peer.on('error', () => {}).end()
  }
  const socket = join(folder, 'socket')
  const [tcp, unix] = [createServer(greet), createServer(greet)]
  const close = () => {
    tcp.close()
    unix.close()
  }
  try {
    await once(tcp.listen(0, '127.0.0.1'), 'listening')
    await once(unix.listen(socket), 'listening')
  } catch (error) {
    close()
    throw error
  }
  const { port } = tcp.address() as AddressInfo // it listens at a port
  return { port, socket, reached: () => count, close }
}
