import { BlockList, isIP } from 'node:net'

/** How far an address reaches: this machine, this link, this network, or everyone's. */
export type Reach = 'loopback' | 'link-local' | 'private' | 'public'

export function reachOf(address: string): Reach {
  const plain = withoutMapping(address.replace(/^\[|\]$|%.*$/g, ''))
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4'
  lists ??= makeLists()
  if (lists.loopback.check(plain, family)) return 'loopback'
  if (lists.linkLocal.check(plain, family)) return 'link-local'
  return lists.private.check(plain, family) ? 'private' : 'public'
}

/** Whether the host of a URL says by itself that it is this machine. */
export function isLoopbackHost(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (plain === 'localhost' || plain.endsWith('.localhost')) return true
  return isIP(plain) !== 0 && reachOf(plain) === 'loopback'
}

/** An IPv4 address in the clothes of an IPv6 one is still the IPv4 address. */
export function withoutMapping(address: string): string {
  const dotted = /^(?:::(?:ffff:)?|64:ff9b:(?:1::?)?:?)(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  const hex =
    /^(?:::(?:ffff:)?|64:ff9b:(?:1::?)?:?)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4})(?::|$)/i.exec(address)
  if (hex === null) return address
  const [high, low] = [Number.parseInt(hex[1] ?? '', 16), Number.parseInt(hex[2] ?? '', 16)]
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

// Made with the first question: most commands ask none.
let lists: ReturnType<typeof makeLists> | undefined

function makeLists() {
  return {
    loopback: blockList(['127.0.0.0/8', '::1/128']),
    linkLocal: blockList(['169.254.0.0/16', 'fe80::/10']),
    private: blockList(PRIVATE),
  }
}

/** Also what is nobody's or everybody's: such an address never leads to a public server. */
const PRIVATE = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fc00::/7',
  'ff00::/8',
]

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', bits = ''] = range.split('/')
    list.addSubnet(net, Number(bits), net.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
