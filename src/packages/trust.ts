import { isAbsolute } from 'node:path'
import { leadsTo, type Rotation } from '../formats/index.ts'
import type { Pin, Signature, SignaturePolicy } from '../model/index.ts'

/** What this machine believes of keys. It comes from outside, like everything people decide. */
export interface Trust {
  readonly policy: SignaturePolicy
  /** The keys that may sign a package from there; none when nothing was ever said or seen. */
  keysOf(name: string, source: string): readonly string[]
  isRevoked(key: string): boolean
  /** Someone took back what was believed of it: what a lock says of its signer counts no more. */
  isForgotten(name: string): boolean
  /** From now on it is this key: the first that was seen, or the one its predecessor named. */
  remember(name: string, source: string, key: string): Promise<void>
}

export const NO_TRUST: Trust = {
  policy: 'warn',
  keysOf: () => [],
  isRevoked: () => false,
  isForgotten: () => false,
  remember: async () => {},
}

/** Where a name means the same package: its registry, else its repository or host, else this machine. */
export function trustSource(pin: Pin): string {
  if (pin.kind === 'directory') return LOCAL
  if (pin.registry !== undefined) return trustAddress(pin.registry)
  if (pin.kind === 'git') return trustAddress(pin.url)
  return /^https?:/i.test(pin.from) ? new URL(pin.from).origin : LOCAL
}

/** One text for one place, however it is spelled: by another slash nobody's key becomes a first one. */
export function trustAddress(address: string): string {
  const plain = address.replace(/\/+$/, '')
  if (isAbsolute(plain) || /^file:/i.test(plain)) return plain
  const short = plain.replace(/\.git$/, '')
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(short) || !URL.canParse(short)) return short
  const url = new URL(short)
  url.username = ''
  url.password = ''
  return url.href.replace(/\/+$/, '')
}

const LOCAL = 'local'

/** Whether a key that signed well is the one that should have. `known` is empty when there is nothing to compare with. */
export function judgeKey(
  key: string,
  known: readonly string[],
  rotations: readonly Rotation[],
  isRevoked: (key: string) => boolean,
): Signature {
  if (isRevoked(key)) return { outcome: 'revoked', key, why: 'its key is revoked' }
  if (known.includes(key)) return { outcome: 'ok', key }
  if (known.length === 0) return { outcome: 'unknown-key', key, why: 'its key was not seen here before' }
  if (leadsTo(rotations, known, key, isRevoked)) return { outcome: 'ok', key, isRotation: true }
  return { outcome: 'key-changed', key, why: 'another key signed it before' }
}
