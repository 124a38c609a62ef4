import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../model/index.ts'

/** A signed token as it was sent; nothing in it is believed yet. */
export interface Jwt {
  readonly algorithm: string
  readonly keyId: string | undefined
  readonly claims: JsonObject
  readonly signed: Buffer
  readonly signature: Buffer
}

/** A key of the issuer, and what it may be used for. */
export interface VerifyingKey {
  readonly id: string | undefined
  /** As its issuer restricts it. */
  readonly algorithm: string | undefined
  readonly type: KeyType
  readonly key: KeyObject
}

type KeyType = 'rsa' | 'p256' | 'ed25519'

const LONGEST = 16_384
const LEAST_MODULUS_BITS = 2_048

/** What access tokens call themselves. A token that says it is for something else is none. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt'])

/** Only what is signed with a private key: with a shared one, or none, anyone could write tokens. */
const ALGORITHMS: Readonly<Record<string, { type: KeyType; check(key: KeyObject, jwt: Jwt): boolean }>> = {
  RS256: {
    type: 'rsa',
    check: (key, { signed, signature }) =>
      verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PADDING }, signature),
  },
  PS256: {
    type: 'rsa',
    check: (key, { signed, signature }) =>
      verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature),
  },
  ES256: {
    type: 'p256',
    check: (key, { signed, signature }) =>
      signature.length === 64 && verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature),
  },
  EdDSA: { type: 'ed25519', check: (key, { signed, signature }) => verify(null, signed, key, signature) },
}

/** Undefined for whatever is not a signed token of a kind that is taken here. */
export function readJwt(token: string): Jwt | undefined {
  const parts = token.length > LONGEST ? [] : token.split('.')
  const [head = '', body = '', mark = ''] = parts
  if (parts.length !== 3) return undefined
  const header = readPart(head)
  const claims = readPart(body)
  const signature = bytesOf(mark)
  if (!header || !claims || !signature) return undefined
  const { alg, kid, typ, crit } = header
  if (typeof alg !== 'string' || !Object.hasOwn(ALGORITHMS, alg) || crit !== undefined) return undefined
  if (!TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ)) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  return { algorithm: alg, keyId: kid, claims, signed: Buffer.from(`${head}.${body}`), signature }
}

function readPart(part: string): JsonObject | undefined {
  const bytes = bytesOf(part)
  try {
    const value: Json | undefined = bytes && JSON.parse(bytes.toString())
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Node reads over what is not base64; two spellings of one token are one too many. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

/** Which of the keys may have signed it. Without a name in the token, any that fits the algorithm. */
export function keysFor(jwt: Jwt, keys: readonly VerifyingKey[]): readonly VerifyingKey[] {
  return keys.filter(
    ({ id, algorithm, type }) =>
      (jwt.keyId === undefined || id === jwt.keyId) &&
      (algorithm === undefined || algorithm === jwt.algorithm) &&
      ALGORITHMS[jwt.algorithm]?.type === type,
  )
}

export function isSignedBy(jwt: Jwt, { key }: VerifyingKey): boolean {
  try {
    return ALGORITHMS[jwt.algorithm]?.check(key, jwt) ?? false
  } catch {
    return false // A signature of the wrong length is one that does not fit.
  }
}

/** One entry of a key set; undefined for what is not a public key that is used here. */
export function readKey(entry: Json): VerifyingKey | undefined {
  if (!isJsonObject(entry) || entry.d !== undefined) return undefined
  if (entry.use !== undefined && entry.use !== 'sig') return undefined
  const type = typeOf(entry)
  if (!type) return undefined
  try {
    // Node reads the members that it knows and judges them itself.
    const key = createPublicKey({ key: { ...entry } as JsonWebKeyInput, format: 'jwk' })
    if (type === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) < LEAST_MODULUS_BITS)
      return undefined
    return { id: textOf(entry.kid), algorithm: textOf(entry.alg), type, key }
  } catch {
    return undefined
  }
}

type JsonWebKeyInput = Extract<Parameters<typeof createPublicKey>[0], { format: 'jwk' }>['key']

function typeOf({ kty, crv }: JsonObject): KeyType | undefined {
  if (kty === 'RSA') return 'rsa'
  if (kty === 'EC' && crv === 'P-256') return 'p256'
  return kty === 'OKP' && crv === 'Ed25519' ? 'ed25519' : undefined
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
