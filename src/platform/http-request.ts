import type { LookupAddress, LookupOptions } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { OrlaError } from '../model/index.ts'
import { type Reach, reachOf } from './address.ts'
import { addressProblem } from './hop.ts'
import { metadataProblem } from './http-refusal.ts'
import { shownUrl } from './shown-url.ts'

/**
 * One GET, not following redirects. The address is judged where it is resolved, so that the one judged is the
 * one connected to. `cameFrom` is the reach of whoever redirected here.
 */
export async function request(
  url: URL,
  cameFrom: Reach | undefined,
  signal: AbortSignal,
): Promise<{ readonly response: IncomingMessage; readonly reach: Reach }> {
  const { get } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'))
  let widest: Reach | undefined

  function judge(address: string): OrlaError | undefined {
    const reach = reachOf(address)
    if (widest !== 'public') widest = reach
    const problem = metadataProblem(address) ?? addressProblem(reach, cameFrom)
    if (problem === undefined) return undefined
    return new OrlaError('E_DOWNLOAD', `${shownUrl(url.href)} is not downloaded: ${problem} (${address})`)
  }

  const literal = url.hostname.replace(/^\[|\]$/g, '')
  const refusal = isIP(literal) === 0 ? undefined : judge(literal)
  if (refusal !== undefined) throw refusal

  const options: RequestOptions = {
    // One connection for one file: a kept one could be to an address judged for someone else.
    agent: false,
    signal,
    lookup: judgedLookup(judge),
    headers: { 'accept-encoding': 'identity', 'user-agent': 'orla' },
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, resolve).on('error', reject)
  })
  return { response, reach: widest ?? 'public' }
}

/** The addresses of a name. */
export type ResolveName = (name: string, options: LookupOptions) => Promise<readonly LookupAddress[]>

const askSystem: ResolveName = (name, options) => lookup(name, { ...options, all: true })

/** Every address of the name must pass: which one is used is not decided here. */
export function judgedLookup(
  judge: (address: string) => Error | undefined,
  resolve: ResolveName = askSystem,
): LookupFunction {
  return (hostname, options, callback) => {
    const refuse = (error: NodeJS.ErrnoException) => callback(error, [])
    resolve(hostname, options).then((addresses) => {
      const refusal = addresses.map(({ address }) => judge(address)).find((problem) => problem)
      const [first] = addresses
      if (refusal || first === undefined) refuse(refusal ?? new Error(`${hostname} has no address`))
      else if (options.all) callback(null, [...addresses])
      else callback(null, first.address, first.family)
    }, refuse)
  }
}
