import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { readBase64, readWire, wireString } from './wire.ts'

/** The only kind of key Orla signs with and believes. */
export const ED25519 = 'ssh-ed25519'
const KEY_BYTES = 32

/** DER before the bytes of an ed25519 public key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** The two words by which a key is known, without the comment: `ssh-ed25519 AAAA…`; undefined for anything else. */
export function readPublicKey(line: string): string | undefined {
  const [kind, encoded = ''] = line.trim().split(/[ \t]+/)
  if (kind !== ED25519 || /[\r\n]/.test(line.trim())) return undefined
  const blob = readBase64(encoded)
  return blob === undefined ? undefined : keyOfBlob(blob)
}

/** As it stands inside signatures and private keys. */
export function keyOfBlob(blob: Buffer): string | undefined {
  try {
    const wire = readWire(blob)
    const isOurs = wire.text() === ED25519 && wire.string().length === KEY_BYTES && wire.isAtEnd()
    return isOurs ? `${ED25519} ${blob.toString('base64')}` : undefined
  } catch {
    return undefined // too short
  }
}

/** Of a key that was read. */
export function blobOfKey(key: string): Buffer {
  return Buffer.from(key.split(' ')[1] ?? '', 'base64')
}

export function keyOfBytes(bytes: Uint8Array): string {
  return `${ED25519} ${Buffer.concat([wireString(ED25519), wireString(bytes)]).toString('base64')}`
}

export function toKeyObject(key: string): KeyObject {
  const bytes = blobOfKey(key).subarray(-KEY_BYTES)
  return createPublicKey({ key: Buffer.concat([SPKI, bytes]), format: 'der', type: 'spki' })
}

/** What people compare: `SHA256:…`, as `ssh-keygen -l` prints it. */
export function keyFingerprint(key: string): string {
  return `SHA256:${createHash('sha256').update(blobOfKey(key)).digest('base64').replace(/=+$/, '')}`
}
