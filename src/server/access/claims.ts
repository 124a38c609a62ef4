import type { Json, JsonObject } from '../../model/index.ts'

/** What is believed of a token once its signature fits. */
export interface Grant {
  readonly subject: string
  readonly scopes: readonly string[]
  /** Seconds since 1970. */
  readonly expires: number
}

/** Clocks differ a little. */
const LEEWAY_SECONDS = 30
const LONGEST_SUBJECT = 256

/** The grant, or why there is none, in words that go into a header. */
export function judgeClaims(
  claims: JsonObject,
  { issuer, audience }: { readonly issuer: string; readonly audience: string },
  nowSeconds: number,
): Grant | string {
  const { iss, aud, exp, nbf, iat } = claims
  if (iss !== issuer) return 'the token is of another issuer'
  if (!(Array.isArray(aud) ? aud : [aud]).includes(audience)) return 'the token is for another audience'
  if (typeof exp !== 'number') return 'the token has no expiry'
  if (exp + LEEWAY_SECONDS <= nowSeconds) return 'the token has expired'
  for (const from of [nbf, iat]) {
    if (from === undefined) continue
    if (typeof from !== 'number' || from - LEEWAY_SECONDS > nowSeconds) return 'the token is not valid yet'
  }
  const subject = [claims.sub, claims.client_id, claims.azp].find(
    (name) => typeof name === 'string' && name !== '',
  )
  if (typeof subject !== 'string' || subject.length > LONGEST_SUBJECT) return 'the token names nobody'
  return { subject, scopes: scopesOf(claims), expires: exp }
}

/** `scope` of RFC 9068; some issuers write `scp`. */
function scopesOf({ scope, scp }: JsonObject): readonly string[] {
  const written: Json | undefined = scope ?? scp
  if (typeof written === 'string') return written.split(' ').filter((word) => word !== '')
  return Array.isArray(written) ? written.filter((word): word is string => typeof word === 'string') : []
}
