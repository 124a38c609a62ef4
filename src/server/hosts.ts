import { networkInterfaces, hostname as ownName } from 'node:os'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(inUrl(host)) || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}

/** A host as URLs and Host headers write it: IPv6 in brackets. */
export function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
}

/**
 * The names a server at this address answers to. Names, not resolved addresses: a page that points its
 * own name at this machine must not get in. Bound to every address, it answers to those it has now.
 */
export function namesOf(host: string): readonly string[] {
  const wildcard = ['', '0.0.0.0', '::', '[::]'].includes(host)
  const own = wildcard ? [...ownAddresses(), ownName()] : []
  return [...new Set([...LOOPBACK, ...[host, ...own].filter(Boolean).map(inUrl)])]
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))
}
