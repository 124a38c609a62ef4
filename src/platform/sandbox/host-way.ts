import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import { type GatePassage, openHostGate } from './host-gate.ts'

/** How a program without a network reaches the hosts it may: its half of the gate, for inside the sandbox. */
export interface HostWay {
  /** Seen inside at the same path. */
  readonly folder: string
  /** Gives each host an address of the loopback. */
  readonly hostsFile: string
  /** Runs the words behind it once somebody listens at those addresses. */
  readonly command: readonly string[]
  close(): Promise<void>
}

/** Whether each host can have an address inside: patterns have no name to look up, and other addresses no route. */
export function canLeadTo({ network }: SandboxProfile): boolean {
  return network.kind === 'hosts' && network.hosts.every(({ host }) => insideAddress(host, 0) !== undefined)
}

/** Call it only for profiles that `canLeadTo`. */
export async function openHostWay(
  { network }: SandboxProfile,
  folder: string,
  onPassage: (passage: GatePassage) => void,
): Promise<HostWay> {
  const hosts = network.kind === 'hosts' ? network.hosts : []
  const names = [...new Set(hosts.map(({ host }) => host))]
  const gate = await openHostGate({ hosts, folder, onPassage })
  const listeners = hosts.map(({ host, port }, index) => ({
    address: insideAddress(host, names.indexOf(host)),
    port,
    socket: gate.sockets[index],
  }))
  const named = names.filter((name) => isNamed(name))
  const lines = named.map((name) => `${insideAddress(name, names.indexOf(name))} ${name}`)
  const hostsFile = join(folder, 'hosts')
  writeFileSync(hostsFile, ['127.0.0.1 localhost tool', '::1 localhost', ...lines, ''].join('\n'))
  return {
    folder,
    hostsFile,
    command: [process.execPath, '-e', RELAY, '--', JSON.stringify(listeners)],
    close: () => gate.close(),
  }
}

function isNamed(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 && host !== 'localhost'
}

/** An address of the loopback for a name; what says itself that it is this machine keeps its own. */
function insideAddress(host: string, index: number): string | undefined {
  const plain = host.replace(/^\[|\]$/g, '')
  if (plain === 'localhost') return '127.0.0.1'
  if (plain === '::1' || /^127(?:\.\d+){3}$/.test(plain)) return plain
  if (host.startsWith('*') || isIP(plain) !== 0) return undefined
  return `127.77.${index >> 8}.${(index & 255) + 1}`
}

/**
 * Runs inside, so all it can do is what the program could do itself. It ends as the program ends. TERM comes to every
 * process by itself; this one stays for those who say goodbye over the network.
 */
const RELAY = `
const { createServer, connect } = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const { argv, exit, stderr } = require('node:process')
const [listeners, file, ...words] = argv.slice(1)
process.on('SIGTERM', () => {})
const listen = ({ address, port, socket }) => new Promise((ready, failed) => {
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ path: socket, allowHalfOpen: true })
    inner.on('error', () => outer.destroy()).pipe(outer)
    outer.on('error', () => inner.destroy()).pipe(inner)
    outer.on('close', () => inner.destroy())
  })
  server.on('error', failed).listen(port, address, ready)
})
Promise.all(JSON.parse(listeners).map(listen)).then(() => {
  const program = spawn(file, words, { stdio: 'inherit' })
  program.on('error', (error) => {
    stderr.write(error.message + '\\n')
    exit(127)
  })
  program.on('exit', (status, signal) => exit(signal ? 128 + constants.signals[signal] : status))
}, (error) => {
  stderr.write('bwrap: the way to its hosts: ' + error.message + '\\n')
  exit(1)
})
`
