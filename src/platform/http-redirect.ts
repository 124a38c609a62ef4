import type { Reach } from './address.ts'

/** One request on the way to an answer. */
export interface Hop {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** The reach of whoever redirected here. */
  readonly cameFrom: Reach | undefined
}

/** Headers that say nothing about who sends them. */
const ANONYMOUS: ReadonlySet<string> = new Set(['accept', 'content-type'])

/** Another origin learns nothing about who asks. */
export function redirected(hop: Hop, url: URL, status: number, cameFrom: Reach): Hop {
  const turnsToGet =
    (status === 303 && hop.method !== 'HEAD') || ([301, 302].includes(status) && hop.method === 'POST')
  const headers = Object.entries(hop.headers).filter(
    ([name]) =>
      (url.origin === hop.url.origin || ANONYMOUS.has(name)) && !(turnsToGet && name === 'content-type'),
  )
  const { body } = hop
  return {
    method: turnsToGet ? 'GET' : hop.method,
    url,
    headers: Object.fromEntries(headers),
    ...(body !== undefined && !turnsToGet && { body }),
    cameFrom,
  }
}
