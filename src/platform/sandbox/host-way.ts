import { writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { SandboxProfile } from '../../model/index.ts'
import { type GatePassage, openHostGate } from './host-gate.ts'
import { isPattern } from './host-pattern.ts'
import { RELAY } from './host-relay.ts'

/** How a program without a network reaches the hosts it may: its half of the gate, for inside the sandbox. */
export interface HostWay {
  /** Seen inside at the same path. */
  readonly folder: string
  /** Gives each host an address of the loopback. */
  readonly hostsFile: string
  /** Says that names are asked for inside; undefined where all of them are in the hosts file. */
  readonly resolverFile: string | undefined
  /** Runs the words behind it once somebody listens at those addresses. */
  readonly command: readonly string[]
  close(): Promise<void>
}

/** Whether each host can have an address inside; other addresses than those of the loopback have no route. */
export function canLeadTo({ network }: SandboxProfile): boolean {
  if (network.kind !== 'hosts') return false
  return network.hosts.every(({ host }) => isPattern(host) || insideAddress(host, 0) !== undefined)
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
  const doors = hosts.map(({ host, port }, index) => ({ host, port, socket: gate.sockets[index] }))
  const patterns = doors.filter(({ host }) => isPattern(host))
  const listeners = doors
    .filter(({ host }) => !isPattern(host))
    .map(({ host, port, socket }) => ({ address: insideAddress(host, names.indexOf(host)), port, socket }))
  const named = names.filter((name) => isNamed(name) && !isPattern(name))
  const lines = named.map((name) => `${insideAddress(name, names.indexOf(name))} ${name}`)
  const hostsFile = join(folder, 'hosts')
  writeFileSync(hostsFile, ['127.0.0.1 localhost tool', '::1 localhost', ...lines, ''].join('\n'))
  const resolverFile = patterns.length > 0 ? join(folder, 'resolv.conf') : undefined
  if (resolverFile !== undefined) writeFileSync(resolverFile, 'nameserver 127.0.0.1\n')
  return {
    folder,
    hostsFile,
    resolverFile,
    command: [process.execPath, '-e', RELAY, '--', JSON.stringify({ listeners, patterns })],
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
  if (isIP(plain) !== 0) return undefined
  return `127.77.${index >> 8}.${(index & 255) + 1}`
}
