import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export type Algorithm = 'RS256' | 'PS256' | 'ES256' | 'EdDSA'

export interface IssuedKey {
  readonly id: string
  readonly algorithm: Algorithm
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

/** An OAuth issuer on this machine: metadata, keys, and the flow by which clients get tokens. */
export interface Issuer {
  readonly url: string
  readonly server: Server
  /** How often each path was asked for. */
  readonly asked: Map<string, number>
  keys: readonly IssuedKey[]
  /** What its metadata says beyond the usual. */
  metadata: Record<string, unknown>
  /** Answers nothing while set. */
  isDown: boolean
  /** The scopes it gives to whoever asks, whatever they ask for. */
  scope: string
  token(claims?: Record<string, unknown>, options?: TokenOptions): string
}

export interface TokenOptions {
  readonly key?: IssuedKey
  readonly header?: Record<string, unknown>
}

export const AUDIENCE = 'orla-tests'

export function makeKey(algorithm: Algorithm = 'ES256', id = randomBytes(4).toString('hex')): IssuedKey {
  const pair =
    algorithm === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : algorithm === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { id, algorithm, ...pair }
}

export async function startIssuer(path = ''): Promise<Issuer> {
  const asked = new Map<string, number>()
  const codes = new Map<string, { challenge: string; resource: string | null }>()
  const server = createServer(
    (req, res) =>
      void answer(req).then(
        ({ status = 200, json, location }) => {
          if (issuer.isDown) return void req.socket.destroy()
          res.writeHead(status, { 'content-type': 'application/json', ...(location && { location }) })
          res.end(JSON.stringify(json ?? {}))
        },
        () => res.destroy(),
      ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  async function answer(
    req: IncomingMessage,
  ): Promise<{ status?: number; json?: unknown; location?: string }> {
    const url = new URL(req.url ?? '/', origin)
    asked.set(url.pathname, (asked.get(url.pathname) ?? 0) + 1)
    const body = await textOf(req)
    switch (url.pathname) {
      case `/.well-known/oauth-authorization-server${path}`:
        return { json: metadata() }
      case '/keys':
        return { json: { keys: issuer.keys.map(published) } }
      case '/register':
        return { status: 201, json: { client_id: 'test-client', ...JSON.parse(body) } }
      case '/authorize': {
        const code = randomBytes(8).toString('hex')
        codes.set(code, {
          challenge: url.searchParams.get('code_challenge') ?? '',
          resource: url.searchParams.get('resource'),
        })
        const back = new URL(url.searchParams.get('redirect_uri') ?? '')
        back.searchParams.set('code', code)
        const state = url.searchParams.get('state')
        if (state !== null) back.searchParams.set('state', state)
        return { status: 302, location: back.href }
      }
      case '/token': {
        const form = new URLSearchParams(body)
        const known = codes.get(form.get('code') ?? '')
        const proof = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (!known || known.challenge !== proof) return { status: 400, json: { error: 'invalid_grant' } }
        const access = issuer.token({ scope: issuer.scope, aud: [AUDIENCE, known.resource ?? ''] })
        return { json: { access_token: access, token_type: 'Bearer', expires_in: 300, scope: issuer.scope } }
      }
      default:
        return { status: 404 }
    }
  }

  function metadata(): unknown {
    return {
      issuer: issuer.url,
      jwks_uri: `${origin}/keys`,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: false,
      ...issuer.metadata,
    }
  }

  const issuer: Issuer = {
    url: origin + path,
    server,
    asked,
    keys: [makeKey()],
    metadata: {},
    isDown: false,
    scope: '',
    token(claims = {}, { key = issuer.keys[0], header = {} } = {}) {
      if (!key) throw new Error('the issuer has no key')
      const now = Math.floor(Date.now() / 1000)
      const all = { iss: issuer.url, sub: 'ada', aud: AUDIENCE, iat: now, exp: now + 300, ...claims }
      return signToken({ alg: key.algorithm, kid: key.id, typ: 'at+jwt', ...header }, all, key)
    },
  }
  return issuer
}

export function signToken(header: object, claims: object, key: IssuedKey): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${signed}.${signatureOf(Buffer.from(signed), key).toString('base64url')}`
}

function signatureOf(data: Buffer, { algorithm, privateKey: key }: IssuedKey): Buffer {
  switch (algorithm) {
    case 'EdDSA':
      return sign(null, data, key)
    case 'ES256':
      return sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' })
    case 'RS256':
      return sign('sha256', data, key)
    case 'PS256':
      // 6 is PSS padding.
      return sign('sha256', data, { key, padding: 6, saltLength: 32 })
  }
}

function published({ id, algorithm, publicKey }: IssuedKey): object {
  return { ...publicKey.export({ format: 'jwk' }), kid: id, alg: algorithm, use: 'sig' }
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req) text += String(chunk)
  return text
}
