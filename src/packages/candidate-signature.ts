import { join } from 'node:path'
import {
  checkSignature,
  checkTagSignature,
  keyFingerprint,
  ROTATION_FILE,
  readRotations,
  SIGNATURE_FILE,
} from '../formats/index.ts'
import { type Lock, type Manifest, OrlaError, type Pin, type Signature } from '../model/index.ts'
import { readTextIfThere } from '../platform/index.ts'
import { judgeKey, type Trust, trustSource } from './trust.ts'

/** A package of which it is to be known who stands behind it. */
export interface Signed {
  readonly manifest: Manifest
  readonly pin: Pin
  /** Of its content listing. */
  readonly digest: string
  readonly folder: string
  /** The object of the annotated tag it came from. */
  readonly tag?: Buffer
}

/** Who signed a package, and whether that is who should have. Refuses nothing. */
export function signatureOf(signed: Signed, trust: Trust, lock: Lock): Signature {
  const made = madeBy(signed)
  if (made.key === undefined || made.outcome !== 'ok') return made
  const { manifest, pin, folder } = signed
  const trusted = trust.keysOf(manifest.name, trustSource(pin))
  // A lock that came with a project knows the key where this machine does not.
  const known = trusted.length > 0 ? trusted : lockedSigners(manifest, pin, trust, lock)
  const rotations = readRotations(readTextIfThere(join(folder, ROTATION_FILE)) ?? '')
  const judged = judgeKey(made.key, known, rotations, (key) => trust.isRevoked(key))
  // Exactly what was locked may come back, although its author has changed keys since.
  if (judged.outcome === 'key-changed' && isLocked(signed, made.key, lock)) return made
  // What only the lock says is new to this machine all the same.
  const isNew = judged.outcome === 'ok' && trusted.length === 0
  return isNew ? { ...judged, outcome: 'unknown-key', why: 'only orla.lock knows its key' } : judged
}

/** The tag of a repository, and the file in a package, both have to be true where they are there. */
function madeBy({ pin, tag, folder, digest }: Signed): Signature {
  const text = readTextIfThere(join(folder, SIGNATURE_FILE))
  const inside = text === undefined ? undefined : checkSignature(text, digest)
  if (inside !== undefined && inside.outcome !== 'signed') return inside
  const outside =
    pin.kind === 'git' && tag !== undefined ? checkTagSignature(tag, pin.tag, pin.commit) : undefined
  if (outside?.kind === 'malformed') return { outcome: 'malformed', why: `the tag: ${outside.why}` }
  if (outside?.kind === 'bad')
    return { outcome: 'bad-signature', why: `the tag is not what ${keyFingerprint(outside.key)} signed` }
  if (outside?.kind === 'good') return { outcome: 'ok', key: outside.key }
  if (inside !== undefined) return { outcome: 'ok', key: inside.key }
  return { outcome: 'unsigned', why: outside === undefined ? 'it is not signed' : `its tag: ${outside.why}` }
}

function isLocked({ manifest, digest }: Signed, key: string, lock: Lock): boolean {
  return lock.packages.some(
    ({ name, version, digest: locked, signer }) =>
      name === manifest.name && version === manifest.version && locked === digest && signer === key,
  )
}

function lockedSigners({ name }: Manifest, pin: Pin, trust: Trust, lock: Lock): string[] {
  if (trust.isForgotten(name)) return []
  return lock.packages.flatMap((entry) =>
    entry.name === name && entry.signer !== undefined && trustSource(entry.pin) === trustSource(pin)
      ? [entry.signer]
      : [],
  )
}

/** Ends the install where nobody could want it; returns what is worth a warning. */
export function enforceSignature(
  { manifest, pin }: Signed,
  signature: Signature,
  trust: Trust,
  lock: Lock,
): string | undefined {
  const { name, version } = manifest
  const what = `${name} ${version}`
  const { outcome, key = '', why = '' } = signature
  switch (outcome) {
    case 'ok':
      return undefined
    case 'unsigned': {
      // A folder is its owner's: nobody signs what they are working on.
      if (pin.kind === 'directory' && trust.policy !== 'require') return undefined
      const known = [...trust.keysOf(name, trustSource(pin)), ...lockedSigners(manifest, pin, trust, lock)]
      if (known.length > 0) {
        throw refuse(`${what} is not signed, but \`${name}\` was signed before: ${why}`, {
          hint: `ask its author why; \`orla trust remove ${name}\` takes it unsigned`,
        })
      }
      if (trust.policy === 'require') {
        throw refuse(`${what} is not signed: ${why}`, { hint: '`signatures: require` is set' })
      }
      return trust.policy === 'warn' ? `${what} is not signed` : undefined
    }
    case 'unknown-key':
      if (trust.policy !== 'require') return undefined
      throw refuse(`${what} is signed by ${keyFingerprint(key)}, which is not trusted here`, {
        hint: `when it is the right one: orla trust add ${name} '${key}'`,
      })
    case 'key-changed':
      throw refuse(`${what} is signed by another key than before, ${keyFingerprint(key)}`, {
        hint: `ask its author; when it is right: \`orla trust replace ${name} '${key}'\``,
      })
    case 'revoked':
      throw refuse(`${what} is signed by ${keyFingerprint(key)}, which is revoked`, {
        hint: '`orla trust list` shows why; its author has to sign it with another key',
      })
    case 'bad-signature':
    case 'content-mismatch':
    case 'malformed':
      throw refuse(`the signature of ${what} does not hold (${outcome}): ${why}`, {
        hint: 'do not use it; fetch it again, or ask its author',
      })
  }
}

function refuse(message: string, options: { hint: string }): OrlaError {
  return new OrlaError('E_SIGNATURE', message, options)
}
