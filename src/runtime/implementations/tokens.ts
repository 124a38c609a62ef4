import type { HttpRequest } from '../../formats/index.ts'
import { isJsonObject, type Json, oneLine } from '../../model/index.ts'
import type { HttpAnswer, HttpClient } from '../../platform/index.ts'

/** Tokens of OAuth client credentials, asked for once and kept until they expire. */
export interface Tokens {
  get(request: HttpRequest, signal: AbortSignal): Promise<TokenAnswer>
  /** It was refused: the next `get` asks for another. */
  forget(request: HttpRequest, token: string): void
}

export type TokenAnswer =
  | { readonly token: string }
  | { readonly problem: string; readonly isUnreachable: boolean }
  | 'cancelled'

interface Kept {
  readonly token: string
  readonly until: number
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 256 * 1024
const MAX_KEPT = 100
/** A token must not expire on its way. */
const MARGIN_MS = 30_000

export function createTokens(http: HttpClient, now: () => number = Date.now): Tokens {
  const kept = new Map<string, Kept>()
  const asked = new Map<string, Promise<TokenAnswer>>()

  async function ask(key: string, request: HttpRequest): Promise<TokenAnswer> {
    // Others may wait for the same token, so nobody's signal ends it.
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const answer = await http.send({ ...request, signal, maxBytes: MAX_BYTES })
    const { origin, pathname } = new URL(request.url)
    const read = readToken(answer, origin + pathname)
    if ('problem' in read) return read
    if (kept.size >= MAX_KEPT) kept.clear()
    kept.set(key, { token: read.token, until: now() + read.livesMs - Math.min(MARGIN_MS, read.livesMs / 10) })
    return { token: read.token }
  }

  return {
    get(request, signal) {
      const key = keyOf(request)
      const known = kept.get(key)
      if (known !== undefined && now() < known.until) return Promise.resolve({ token: known.token })
      const asking = asked.get(key) ?? ask(key, request).finally(() => asked.delete(key))
      asked.set(key, asking)
      return orCancelled(asking, signal)
    },
    forget(request, token) {
      const key = keyOf(request)
      if (kept.get(key)?.token === token) kept.delete(key)
    },
  }
}

/** Another client, other scopes or another place: another token. */
function keyOf({ url, headers, body }: HttpRequest): string {
  return JSON.stringify([url, headers.authorization, body])
}

function orCancelled(asking: Promise<TokenAnswer>, signal: AbortSignal): Promise<TokenAnswer> {
  if (signal.aborted) return Promise.resolve('cancelled')
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve('cancelled')
    signal.addEventListener('abort', giveUp, { once: true })
    asking.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

type Read =
  | { readonly token: string; readonly livesMs: number }
  | { readonly problem: string; readonly isUnreachable: boolean }

function readToken(answer: HttpAnswer, place: string): Read {
  const problem = (words: string, isUnreachable = false) => ({
    problem: `no token came from ${place}: ${words}`,
    isUnreachable,
  })
  if (answer.kind === 'cancelled') return problem('it did not answer in time')
  if (answer.kind !== 'answer') return problem(answer.message, answer.kind !== 'broken')
  const { status, body } = answer
  const value = parse(body)
  if (status !== 200) return problem(`it answered ${status}${errorWords(value)}`)
  const { access_token: token, expires_in: seconds } = isJsonObject(value) ? value : {}
  // A line break here would be a header of its own.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token))
    return problem('its answer has no usable `access_token`')
  const lives = typeof seconds === 'number' || typeof seconds === 'string' ? Number(seconds) : Number.NaN
  // Who does not say how long it lives says so by refusing it.
  return { token, livesMs: lives > 0 ? lives * 1000 : Number.MAX_SAFE_INTEGER }
}

function parse(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json // JSON.parse yields nothing else
  } catch {
    return null
  }
}

/** `error` and `error_description` of RFC 6749 §5.2. */
function errorWords(value: Json): string {
  if (!isJsonObject(value)) return ''
  const words = [value.error, value.error_description].filter((word) => typeof word === 'string')
  const said = oneLine(words.join(': '))
  // Cut, it could end in half a secret, which nobody would recognise.
  return said === '' || said.length > 300 ? '' : ` (${said})`
}
