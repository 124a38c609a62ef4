import { isJsonObject, sha256 } from '../model/index.ts'
import type { KeyPair } from './ssh/private-key.ts'
import { keyFingerprint, readPublicKey } from './ssh/public-key.ts'
import { signSsh, verifySsh } from './ssh/signature.ts'

/** Where a package carries the signature over its content listing. */
export const SIGNATURE_FILE = 'meta/signature.sig'
const NAMESPACE = 'orla-package'

export type SignedContent =
  | { readonly outcome: 'signed'; readonly key: string }
  | { readonly outcome: 'malformed' | 'bad-signature' | 'content-mismatch'; readonly why: string }

/** The file that stands for someone's word that a package is exactly what this listing says. */
export function formatSignature(listing: string, pair: KeyPair): string {
  const sig = signSsh(listing, NAMESPACE, pair)
  return `${JSON.stringify({ v: 1, listing, key: pair.publicKey, sig }, null, 2)}\n`
}

/** Judges the file against the digest of the listing that was made of the files themselves. */
export function checkSignature(source: string, digest: string): SignedContent {
  const parts = readParts(source)
  if (typeof parts === 'string') return { outcome: 'malformed', why: parts }
  const { listing, key, sig } = parts
  const verdict = verifySsh(sig, listing, NAMESPACE)
  if (verdict.kind === 'malformed') return { outcome: 'malformed', why: verdict.why }
  if (verdict.kind === 'bad' || verdict.key !== key) {
    return { outcome: 'bad-signature', why: `it is not what ${keyFingerprint(key)} signed` }
  }
  if (sha256(listing) !== digest) {
    return { outcome: 'content-mismatch', why: 'the files are not those that were signed' }
  }
  return { outcome: 'signed', key }
}

/** What the signature says is in the package, whether true or not; for telling what differs. */
export function signedListing(source: string): string | undefined {
  const parts = readParts(source)
  return typeof parts === 'string' ? undefined : parts.listing
}

interface Parts {
  readonly listing: string
  readonly key: string
  readonly sig: string
}

/** The parts, or what is wrong. There is one way to write them: a second one could be read differently elsewhere. */
function readParts(source: string): Parts | string {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    return 'it is not JSON'
  }
  if (!isJsonObject(value)) return 'it is not an object'
  const { v, listing, key, sig } = value
  if (v !== 1) return 'it is not of version 1'
  if (typeof listing !== 'string' || typeof key !== 'string' || typeof sig !== 'string')
    return 'it needs `listing`, `key` and `sig`'
  if (JSON.stringify({ v, listing, key, sig }, null, 2).trim() !== source.trim()) {
    const unknown = Object.keys(value).filter((name) => !['v', 'listing', 'key', 'sig'].includes(name))
    return unknown.length > 0
      ? `it has more than belongs there: ${unknown.join(', ')}`
      : 'it is written oddly'
  }
  if (readPublicKey(key) !== key) return '`key` is not an ed25519 key'
  if (!listing.startsWith('orla-package-v1\n')) return 'its listing is not of a package'
  return { listing, key, sig }
}
