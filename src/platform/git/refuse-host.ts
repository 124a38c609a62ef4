import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { OrlaError } from '../../model/index.ts'
import { reachOf } from '../address.ts'
import { metadataProblem } from '../http-refusal.ts'
import type { GitUrl } from './git-url.ts'

type Lookup = (host: string) => Promise<readonly { readonly address: string }[]>

/**
 * Where clouds hand out credentials nobody is led, by a registry as little as by an endpoint. git looks names up by
 * itself, so that a name which changes its mind in between is not caught; private networks are where many have their git.
 */
export async function refuseHost({ url, kind }: GitUrl, find: Lookup = findAll): Promise<void> {
  if (kind === 'file') return
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await find(host).catch(() => []) : [{ address: host }]
  for (const { address } of addresses) {
    const isLink = reachOf(address) === 'link-local'
    const problem = metadataProblem(address) ?? (isLink ? 'it is an address of this link alone' : undefined)
    if (problem === undefined) continue
    const shown = address === host ? host : `${host} (${address})`
    throw new OrlaError('E_SOURCE', `nothing is fetched from ${shown}: ${problem}`)
  }
}

const findAll: Lookup = (host) => lookup(host, { all: true })

/** Of an address that was judged: a URL, or `user@host:path`, whose host may stand in brackets with its port. */
function hostOf(url: string): string {
  const isUrl = URL.canParse(url) && url.includes('://')
  const written = isUrl ? new URL(url).hostname : (/^(?:[^@/]*@)?(\[[^\]]*\]|[^:]*):/.exec(url)?.[1] ?? '')
  const host = written.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? host.replace(/:\d+$/, '') : host
}
