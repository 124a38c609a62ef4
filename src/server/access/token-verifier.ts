import { createHash } from 'node:crypto'
import { judgeClaims } from './claims.ts'
import type { OAuthSettings } from './credentials.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { isSignedBy, type Jwt, keysFor, readJwt, type VerifyingKey } from './jwt.ts'
import type { Principal } from './principal.ts'
import { createRecent } from './recent.ts'
import { createScopes } from './tool-patterns.ts'

/** Access tokens of an issuer. */
export interface TokenVerifier {
  /** Who it was given to; a promise only where the issuer has to be asked. */
  verify(token: string): Verdict | Promise<Verdict>
}

export type Verdict =
  | { readonly kind: 'valid'; readonly principal: Principal }
  | { readonly kind: 'invalid'; readonly why: string }
  /** The issuer cannot be asked, so nothing is known about it. */
  | { readonly kind: 'unknown' }

interface Known {
  readonly principal: Principal
  readonly untilMs: number
}

/** Tokens whose signature need not be checked again. */
const REMEMBERED = 1_000
/** A key that was taken back is not believed much longer than that. */
const REMEMBERED_MS = 5 * 60_000

export function createTokenVerifier(
  settings: OAuthSettings,
  keys: IssuerKeys,
  now: () => number,
): TokenVerifier {
  const accessOf = settings.scopes && createScopes(settings.scopes)
  const known = createRecent<Known>(REMEMBERED)

  function judge(jwt: Jwt, candidates: readonly VerifyingKey[], print: string): Verdict {
    if (!candidates.some((key) => isSignedBy(jwt, key))) return invalid('the signature does not fit')
    const grant = judgeClaims(jwt.claims, settings, now() / 1_000)
    if (typeof grant === 'string') return invalid(grant)
    const { subject, scopes, expires } = grant
    const principal: Principal = {
      name: `oauth:${subject}`,
      ...(accessOf && { access: accessOf(scopes) }),
    }
    known.set(print, { principal, untilMs: Math.min(expires * 1_000, now() + REMEMBERED_MS) })
    return { kind: 'valid', principal }
  }

  async function judgeLater(jwt: Jwt, print: string): Promise<Verdict> {
    const all = await keys.refresh()
    if (!all) return { kind: 'unknown' }
    const candidates = keysFor(jwt, all)
    return candidates.length === 0 ? invalid('no key of the issuer fits') : judge(jwt, candidates, print)
  }

  return {
    verify(token) {
      const print = createHash('sha256').update(token).digest('base64')
      const before = known.get(print)
      if (before && now() < before.untilMs) return { kind: 'valid', principal: before.principal }
      const jwt = readJwt(token)
      if (!jwt) return invalid('this is not an access token')
      const candidates = keysFor(jwt, keys.current() ?? [])
      return candidates.length > 0 ? judge(jwt, candidates, print) : judgeLater(jwt, print)
    },
  }
}

function invalid(why: string): Verdict {
  return { kind: 'invalid', why }
}
