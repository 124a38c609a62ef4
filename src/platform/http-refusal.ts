import { BlockList, isIP } from 'node:net'
import { isLoopbackHost, type Reach, reachOf, withoutMapping } from './address.ts'
import { addressProblem } from './hop.ts'

/** Orla does not ask this, whether or not it would be answered. */
export class Refused extends Error {}

/** What can be said before anything is looked up, also when a kept connection is used. */
export function refuseHost(url: URL, cameFrom: Reach | undefined): Refused | undefined {
  const literal = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(literal) !== 0) return refuseAddress(url, literal, cameFrom)
  const problem = isLoopbackHost(literal) ? addressProblem('loopback', cameFrom) : undefined
  return problem === undefined ? undefined : new Refused(problem)
}

/** Private addresses only for a URL that says so itself: a name can be made to lead anywhere. */
export function refuseAddress(
  { hostname }: URL,
  address: string,
  cameFrom: Reach | undefined,
): Refused | undefined {
  const reach = reachOf(address)
  const problem = metadataProblem(address) ?? addressProblem(reach, cameFrom)
  if (problem !== undefined) return new Refused(`${problem} (${address})`)
  const saysSo = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || isLoopbackHost(hostname)
  if (reach === 'public' || saysSo) return undefined
  return new Refused(
    `the name ${hostname} leads into a private network (${address}); if that is meant, the URL must have the address itself`,
  )
}

/** Why nobody is led there, whoever asks. */
export function metadataProblem(address: string): string | undefined {
  return isMetadata(address) ? 'a cloud hands out its credentials there' : undefined
}

let metadata: BlockList | undefined

/** Where clouds answer whoever asks from inside, beyond the link-local addresses. */
function isMetadata(address: string): boolean {
  if (metadata === undefined) {
    metadata = new BlockList()
    for (const one of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) metadata.addAddress(one, 'ipv4')
    for (const one of ['fd00:ec2::254', 'fd20:ce::254']) metadata.addAddress(one, 'ipv6')
  }
  const plain = withoutMapping(address)
  return metadata.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')
}
