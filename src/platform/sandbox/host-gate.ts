import { lookup } from 'node:dns/promises'
import { chmodSync, rmSync } from 'node:fs'
import { connect, createServer, isIP, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { isLoopbackHost, reachOf } from '../address.ts'
import { makePath } from '../make-path.ts'
import { isPattern, nameBelow } from './host-pattern.ts'

/** One connection that was let through, or not, for the log. */
export interface GatePassage {
  readonly host: string
  readonly port: number
  /** Undefined when the name has none, or none that may be dialled. */
  readonly address: string | undefined
  readonly sentBytes: number
  readonly receivedBytes: number
  readonly problem?: string
}

export interface HostGate {
  /** The socket behind which this one host lies, in the order of the hosts. */
  readonly sockets: readonly string[]
  close(): Promise<void>
}

export interface HostGateOptions {
  readonly hosts: readonly { readonly host: string; readonly port: number }[]
  /** Private to one sandbox; made, and removed at the end. */
  readonly folder: string
  onPassage?(passage: GatePassage): void
  resolve?(host: string): Promise<readonly string[]>
}

/**
 * The only way out of a sandbox without a network: a socket for each host it may reach. Where a connection goes is
 * settled here, by the socket it comes through; nothing that is said on it can change that. Behind the socket of a
 * pattern lie the names below it, and nothing else.
 */
export async function openHostGate(options: HostGateOptions): Promise<HostGate> {
  const { hosts, folder } = options
  makePath(folder, 0o700)
  chmodSync(folder, 0o700)
  const open = new Set<Socket>()
  const untold = new Set<Promise<void>>()
  const servers = await Promise.all(
    hosts.map(({ host, port }, index) => {
      const dial = createDialler((name) => options.resolve?.(name) ?? resolveHost(name))
      return listen(join(folder, String(index)), (inner) => {
        open.add(inner.on('close', () => open.delete(inner)))
        const told = carry(inner, { host, port }, dial, open).then((passage) => {
          untold.delete(told)
          options.onPassage?.(passage)
        })
        untold.add(told)
      })
    }),
  )

  async function close(): Promise<void> {
    for (const socket of open) socket.destroy()
    await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))))
    // Nothing is carried any more, so that all is told at once; only a name that nobody answers for may take long.
    const late = new AbortController()
    await Promise.race([Promise.all(untold), pause(LAST_PASSAGES_MS, undefined, late).catch(() => {})])
    late.abort()
    rmSync(folder, { recursive: true, force: true })
  }
  return { sockets: hosts.map((_, index) => join(folder, String(index))), close }
}

const LAST_PASSAGES_MS = 500

function listen(path: string, onConnection: (socket: Socket) => void): Promise<Server> {
  rmSync(path, { force: true })
  // Each side may finish before the other: an answer follows the end of a request.
  const server = createServer({ allowHalfOpen: true }, onConnection)
  return new Promise((settle, reject) => {
    server.once('error', reject)
    server.listen(path, () => settle(server))
  })
}

/** Names of one pattern that are remembered; more are asked for again. */
const MOST_NAMES = 1_000

/** Each name is resolved once: one that changes its mind leads nowhere else. One that has no address may get one. */
function createDialler(resolve: (host: string) => Promise<readonly string[]>) {
  const found = new Map<string, Promise<string>>()
  return (host: string): Promise<string> => {
    const known = found.get(host)
    if (known !== undefined) return known
    const address = resolve(host).then((addresses) => addressToDial(host, addresses))
    if (found.size < MOST_NAMES) found.set(host, address)
    address.catch(() => found.delete(host))
    return address
  }
}

async function carry(
  inner: Socket,
  { host: allowed, port }: { readonly host: string; readonly port: number },
  dial: (host: string) => Promise<string>,
  open: Set<Socket>,
): Promise<GatePassage> {
  let host = allowed
  let outer: Socket | undefined
  let address: string | undefined
  let problem: string | undefined
  inner.on('error', () => {})
  try {
    if (isPattern(allowed)) host = await nameBelow(allowed, inner)
    address = await dial(host)
    const dialled = connect({ host: address, port, allowHalfOpen: true })
    outer = dialled
    open.add(dialled.on('close', () => open.delete(dialled)))
    await Promise.all([pipeline(inner, dialled), pipeline(dialled, inner)])
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  } finally {
    inner.destroy()
    outer?.destroy()
  }
  const counted = { sentBytes: outer?.bytesWritten ?? 0, receivedBytes: outer?.bytesRead ?? 0 }
  return { host, port, address, ...counted, ...(problem !== undefined && { problem }) }
}

async function resolveHost(host: string): Promise<readonly string[]> {
  const plain = host.replace(/^\[|\]$/g, '')
  if (isIP(plain) !== 0) return [plain]
  return (await lookup(plain, { all: true })).map(({ address }) => address)
}

/** Where clouds hand out the keys of a machine, beside the addresses of the link. */
const METADATA = ['fd00:ec2::254', '100.100.100.200']

/** Throws when there is none. This machine and this network only for who named them: a name can lead anywhere. */
function addressToDial(host: string, addresses: readonly string[]): string {
  const plain = host.replace(/^\[|\]$/g, '')
  const found = addresses.find((address) => {
    const reach = reachOf(address)
    if (reach === 'link-local' || METADATA.includes(address)) return false
    return reach === 'public' || address === plain || (reach === 'loopback' && isLoopbackHost(host))
  })
  if (found === undefined) {
    const why = addresses.length === 0 ? 'has no address' : `leads to ${addresses.join(', ')}`
    throw new Error(`${host} ${why}, where a permission for a name does not reach`)
  }
  return found
}
