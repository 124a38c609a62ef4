import { isLoopbackHost, type Reach } from './address.ts'

/** Why this URL must not be asked; undefined when it may. */
export function urlProblem(url: URL, allowHttp: boolean): string | undefined {
  if (url.protocol === 'https:') return undefined
  if (url.protocol !== 'http:') return `${url.protocol}// is not a scheme for downloads`
  if (allowHttp || isLoopbackHost(url.hostname)) return undefined
  return 'http:// is not protected on its way; use https://'
}

/** Why a redirect must not be followed. Never to something less safe than where it came from. */
export function redirectProblem(from: URL, to: URL, allowHttp: boolean): string | undefined {
  if (from.protocol === 'https:' && to.protocol !== 'https:')
    return 'it leads from https:// to something less safe'
  return urlProblem(to, allowHttp)
}

/**
 * Why an address must not be connected to. `cameFrom` is the reach of the address that redirected here: a
 * public server must not make this machine ask around in its own network.
 */
export function addressProblem(reach: Reach, cameFrom: Reach | undefined): string | undefined {
  if (reach === 'link-local') return 'its address is link-local'
  if (cameFrom === 'public' && reach !== 'public') return 'a public server leads into a private network'
  if (cameFrom === 'private' && reach === 'loopback') return 'another machine leads to this one'
  return undefined
}
