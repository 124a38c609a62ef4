import { createHash, timingSafeEqual } from 'node:crypto'
import type { Log } from '../../model/index.ts'
import type { HttpClient } from '../../platform/index.ts'
import { headerValues, type Refusal, type RequestHead } from '../guards.ts'
import { challenge, resourceMetadata } from './challenge.ts'
import { type Credentials, wantsCredentials } from './credentials.ts'
import { createIssuerKeys } from './issuer-keys.ts'
import { type Identity, type Principal, SERVER_TOKEN } from './principal.ts'
import { createTokenVerifier, type Verdict } from './token-verifier.ts'
import { listedAccess } from './tool-patterns.ts'

/** Finds out who sends a request. */
export interface Authenticator {
  /** A promise only where an issuer has to be asked first. */
  identify(head: RequestHead): Identity | Promise<Identity>
  /** What everyone may read about where to get a token; undefined when there is nothing to say. */
  metadata(head: RequestHead): object | undefined
  /** The refusal of a call for which the token is good, but not good enough. */
  forbid(head: RequestHead, tool: string, scope: string | undefined): Refusal
}

export interface AuthenticatorParts {
  readonly credentials: Credentials
  /** `http` or `https`, as clients write it. */
  readonly scheme: string
  readonly http: HttpClient
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export function createAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { credentials, scheme, http, log, now } = parts
  const { token, tokens = [], oauth } = credentials
  const isOpen = !wantsCredentials(credentials)
  const known = [
    ...(token ? [{ digest: digest(token), principal: { name: SERVER_TOKEN } }] : []),
    ...tokens.map(({ name, token: own, tools }) => ({
      digest: digest(own),
      principal: { name: `token:${name}`, ...(tools && { access: listedAccess(tools) }) },
    })),
  ]
  const verifier =
    oauth && createTokenVerifier(oauth, createIssuerKeys({ issuer: oauth.issuer, http, log, now }), now)

  // All are compared, so that the time taken does not tell which one came close.
  function findToken(given: string): Principal | undefined {
    const asked = digest(given)
    let found: Principal | undefined
    for (const one of known) if (timingSafeEqual(one.digest, asked)) found = one.principal
    return found
  }

  function judge(verdict: Verdict, head: RequestHead): Identity {
    switch (verdict.kind) {
      case 'valid':
        return { kind: 'known', principal: verdict.principal }
      case 'invalid':
        return refused(unauthorized(head, verdict.why))
      case 'unknown':
        return refused({
          status: 503,
          reason: 'issuer',
          message: 'The issuer of access tokens cannot be asked right now',
          headers: { 'Retry-After': '10' },
        })
    }
  }

  function unauthorized(head: RequestHead, why?: string): Refusal {
    const words = oauth ? 'This server wants an access token' : 'This server wants its token'
    return {
      status: 401,
      reason: 'token',
      message: `${words}: Authorization: Bearer TOKEN${why === undefined ? '' : ` (${why})`}`,
      headers: {
        'WWW-Authenticate': challenge(
          oauth,
          scheme,
          head,
          why === undefined ? {} : { error: 'invalid_token' },
        ),
      },
    }
  }

  return {
    identify(head) {
      if (isOpen) return { kind: 'known', principal: undefined }
      const values = headerValues(head, 'authorization')
      if (values.length === 0) return refused(unauthorized(head))
      const given = values.length === 1 ? /^bearer +(\S+)$/i.exec(values[0] ?? '')?.[1] : undefined
      if (given === undefined) return refused(unauthorized(head, 'no bearer token'))
      const principal = findToken(given)
      if (principal) return { kind: 'known', principal }
      if (!verifier) return refused(unauthorized(head, 'another token'))
      const verdict = verifier.verify(given)
      return verdict instanceof Promise ? verdict.then((late) => judge(late, head)) : judge(verdict, head)
    },
    metadata: (head) => oauth && resourceMetadata(oauth, scheme, head),
    forbid: (head, tool, scope) => ({
      status: 403,
      reason: 'scope',
      message:
        scope === undefined
          ? `This token does not open the tool \`${tool}\``
          : `The tool \`${tool}\` needs the scope ${scope}`,
      headers: {
        'WWW-Authenticate': challenge(oauth, scheme, head, {
          error: 'insufficient_scope',
          ...(scope !== undefined && { scope }),
        }),
      },
    }),
  }
}

function refused(refusal: Refusal): Identity {
  return { kind: 'refused', refusal }
}

// Digests have one length whatever the token's, which comparing in constant time needs.
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
