import { copyFileSync, writeFileSync } from 'node:fs'
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
  /**
   * The command that gives the loopback inside further addresses, for which it has to have a right over that network; it
   * takes variables and another command, each behind `--`. Undefined where no host is an address.
   */
  readonly addresses: readonly string[] | undefined
  /** Runs the words behind it once somebody listens at those addresses. */
  readonly command: readonly string[]
  close(): Promise<void>
}

/** Whether each host can have an address inside; one that is an address itself only where the launcher can give it. */
export function canLeadTo({ network }: SandboxProfile, hasLauncher: boolean): boolean {
  if (network.kind !== 'hosts') return false
  return hasLauncher || network.hosts.every(({ host }) => !isElsewhere(host))
}

interface HostWayOptions {
  /** Made for it, and removed with it. */
  readonly folder: string
  readonly launcher: string | undefined
  readonly onPassage: (passage: GatePassage) => void
}

/** Call it only for profiles that `canLeadTo`. */
export async function openHostWay(
  { network }: SandboxProfile,
  { folder, launcher, onPassage }: HostWayOptions,
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
  const addresses = names.filter(isElsewhere).map(plainly)
  return {
    folder,
    hostsFile,
    resolverFile,
    addresses: addresses.length === 0 ? undefined : [ownCopy(launcher, folder), '--addresses', ...addresses],
    command: [process.execPath, '-e', RELAY, '--', JSON.stringify({ listeners, patterns })],
    close: () => gate.close(),
  }
}

/** In the folder that is seen inside: its own may be one that the program can write to. */
function ownCopy(launcher: string | undefined, folder: string): string {
  if (launcher === undefined) throw new Error('who gives addresses was not found')
  const copy = join(folder, 'launcher')
  copyFileSync(launcher, copy)
  return copy
}

/** An address, and not one of the loopback. */
function isElsewhere(host: string): boolean {
  return isIP(plainly(host)) !== 0 && !isOfLoopback(plainly(host))
}

function isOfLoopback(plain: string): boolean {
  return plain === '::1' || /^127(?:\.\d+){3}$/.test(plain)
}

function plainly(host: string): string {
  return host.replace(/^\[|\]$/g, '')
}

function isNamed(host: string): boolean {
  return isIP(plainly(host)) === 0 && host !== 'localhost'
}

/** An address of the loopback for a name; what is an address keeps it. */
function insideAddress(host: string, index: number): string {
  const plain = plainly(host)
  if (plain === 'localhost') return '127.0.0.1'
  if (isIP(plain) !== 0) return plain
  return `127.77.${index >> 8}.${(index & 255) + 1}`
}
