import { isJsonObject, type Json, type JsonObject, type Log } from '../../model/index.ts'
import type { HttpClient } from '../../platform/index.ts'
import { isLoopback } from '../hosts.ts'
import { readKey, type VerifyingKey } from './jwt.ts'

/** The keys with which an issuer signs, as it publishes them. */
export interface IssuerKeys {
  /** What is known and fresh enough to be used at once. */
  current(): readonly VerifyingKey[] | undefined
  /**
   * Asks the issuer, unless that was just done; whoever asks meanwhile gets the same answer. Undefined when nothing
   * is known of it: then tokens can be neither taken nor refused.
   */
  refresh(): Promise<readonly VerifyingKey[] | undefined>
}

export interface IssuerKeysParts {
  readonly issuer: string
  readonly http: HttpClient
  readonly log: Log
  /** Milliseconds. */
  readonly now: () => number
  readonly timeoutMs?: number
}

const FRESH_MS = 10 * 60_000
/** However many tokens name keys that nobody knows, the issuer is asked no more often. */
const PAUSE_MS = 10_000
const TIMEOUT_MS = 5_000
const MOST_BYTES = 256 * 1024
const MOST_KEYS = 100

export function createIssuerKeys(parts: IssuerKeysParts): IssuerKeys {
  const { issuer, http, log, now, timeoutMs = TIMEOUT_MS } = parts
  let keys: readonly VerifyingKey[] | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  let learntAt = Number.NEGATIVE_INFINITY
  let asking: Promise<readonly VerifyingKey[] | undefined> | undefined

  async function ask(): Promise<readonly VerifyingKey[] | undefined> {
    askedAt = now()
    try {
      const uri = await findKeySet()
      const { keys: entries } = await readJson(uri)
      if (!Array.isArray(entries)) throw new Unusable(`${uri} holds no keys`)
      keys = entries.slice(0, MOST_KEYS).flatMap((entry: Json) => readKey(entry) ?? [])
      learntAt = now()
      if (keys.length === 0) log.warn('the issuer publishes no key that can be used', { issuer })
    } catch (error) {
      if (!(error instanceof Unusable)) throw error
      // Old keys are better than none: the issuer may be back before they matter.
      log.warn('cannot read the keys of the issuer', { issuer, error: error.message })
    }
    return keys
  }

  async function findKeySet(): Promise<string> {
    const problems: string[] = []
    for (const url of metadataUrls(issuer)) {
      try {
        const metadata = await readJson(url)
        if (metadata.issuer !== issuer) throw new Unusable(`${url} is about another issuer`)
        const { jwks_uri: uri } = metadata
        if (typeof uri !== 'string' || !mayBeAsked(uri))
          throw new Unusable(`${url} names no key set to ask for`)
        return uri
      } catch (error) {
        if (!(error instanceof Unusable)) throw error
        problems.push(error.message)
      }
    }
    throw new Unusable(problems.join('; '))
  }

  async function readJson(url: string): Promise<JsonObject> {
    const answer = await http.send({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      maxBytes: MOST_BYTES,
    })
    if (answer.kind === 'cancelled') throw new Unusable(`${url} did not answer within ${timeoutMs} ms`)
    if (answer.kind !== 'answer') throw new Unusable(`${url}: ${answer.message}`)
    if (answer.status !== 200) throw new Unusable(`${url} answered ${answer.status}`)
    if (answer.isCut) throw new Unusable(`${url} is larger than ${MOST_BYTES} bytes`)
    try {
      const value: Json = JSON.parse(answer.body.toString())
      if (isJsonObject(value)) return value
    } catch {
      // Said below, as for any other JSON that is no object.
    }
    throw new Unusable(`${url} is not a JSON object`)
  }

  return {
    current: () => (now() - learntAt < FRESH_MS ? keys : undefined),
    refresh() {
      if (asking) return asking
      if (now() - askedAt < PAUSE_MS) return Promise.resolve(keys)
      asking = ask().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

class Unusable extends Error {}

/** Plain HTTP is for an issuer on this machine. */
export function mayBeAsked(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

/** RFC 8414 puts the well-known part before an issuer's path, OpenID Connect behind it. */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/+$/, '')
  const urls = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/openid-configuration${path}`,
  ]
  return [...new Set(urls)]
}
