import { isIPv6 } from 'node:net'
import type { Limits } from '../../model/index.ts'
import { createRecent } from './recent.ts'

/** What one client may take of the server, so that others get theirs. */
export interface ClientLimits {
  /** Whether requests are counted at all, and whether calls are: most servers have no limits. */
  readonly countsRequests: boolean
  readonly countsCalls: boolean
  /** Counts a request. Seconds to wait when the client has sent all it may. */
  take(client: string): number | undefined
  /** Whether it has as many calls running as it may. */
  isFull(client: string): boolean
  /** A call begins, unless there are too many; what is returned ends it. */
  begin(client: string): (() => void) | undefined
}

interface Bucket {
  left: number
  filledAt: number
}

/** A client may be this much ahead of its rate. */
const AHEAD_SECONDS = 10
/** Clients remembered at once; who was not seen for long is forgotten first. */
const REMEMBERED = 10_000

/** `now`: milliseconds. */
export function createClientLimits(
  { rate, concurrency }: Limits['clients'],
  now: () => number,
): ClientLimits {
  const buckets = createRecent<Bucket>(REMEMBERED)
  const running = new Map<string, number>()

  return {
    countsRequests: rate !== null,
    countsCalls: concurrency !== null,
    take(client) {
      if (rate === null) return undefined
      const most = rate * AHEAD_SECONDS
      const at = now()
      const before = buckets.get(client)
      const left = before ? Math.min(most, before.left + ((at - before.filledAt) / 1_000) * rate) : most
      buckets.set(client, { left: left >= 1 ? left - 1 : left, filledAt: at })
      return left >= 1 ? undefined : Math.ceil((1 - left) / rate)
    },
    isFull: (client) => concurrency !== null && (running.get(client) ?? 0) >= concurrency,
    begin(client) {
      const count = running.get(client) ?? 0
      if (concurrency !== null && count >= concurrency) return undefined
      running.set(client, count + 1)
      return () => {
        const left = (running.get(client) ?? 1) - 1
        if (left > 0) running.set(client, left)
        else running.delete(client)
      }
    },
  }
}

/** Who shares limits: a principal, else an address. Someone with IPv6 has a whole network of those. */
export function clientOf(who: { readonly principal?: string; readonly remote?: string }): string {
  if (who.principal !== undefined) return `principal ${who.principal}`
  const remote = who.remote ?? ''
  if (!isIPv6(remote) || remote.startsWith('::ffff:')) return `address ${remote.replace(/^::ffff:/, '')}`
  return `address ${networkOf(remote)}`
}

/** The first 64 bits, written out. */
function networkOf(address: string): string {
  const [front = '', back] = address.split('%')[0]?.split('::') ?? []
  const head = front.split(':').filter(Boolean)
  const tail = back?.split(':').filter(Boolean) ?? []
  const zeros =
    back === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}
