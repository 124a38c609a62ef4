import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { blobOfKey, ED25519, keyOfBlob, toKeyObject } from './public-key.ts'
import { readArmour, readWire, wireString, wireUint32, writeArmour } from './wire.ts'

const LABEL = 'SSH SIGNATURE'
const MAGIC = Buffer.from('SSHSIG')
const HASHES: ReadonlySet<string> = new Set(['sha256', 'sha512'])
const SIGNATURE_BYTES = 64

/** What `ssh-keygen -Y sign -n NAMESPACE` would write. The namespace keeps a signature from meaning something else. */
export function signSsh(
  message: Uint8Array | string,
  namespace: string,
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: string },
): string {
  const raw = sign(null, signedBytes(message, namespace, 'sha512'), privateKey)
  return writeArmour(
    Buffer.concat([
      MAGIC,
      wireUint32(1),
      wireString(blobOfKey(publicKey)),
      wireString(namespace),
      wireString(''),
      wireString('sha512'),
      wireString(Buffer.concat([wireString(ED25519), wireString(raw)])),
    ]),
    LABEL,
  )
}

export type SshVerdict =
  | { readonly kind: 'good'; readonly key: string }
  /** Well written, but not by that key over that message. */
  | { readonly kind: 'bad'; readonly key: string }
  /** Not a signature of this kind, or for something else. */
  | { readonly kind: 'malformed'; readonly why: string }

/** Who signed the message; whether to believe them is for others to say. */
export function verifySsh(armoured: string, message: Uint8Array | string, namespace: string): SshVerdict {
  const blob = readArmour(armoured, LABEL)
  if (blob === undefined) return { kind: 'malformed', why: 'it is not an SSH signature' }
  try {
    return verifyBlob(blob, message, namespace)
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'malformed', why: error.message }
    throw error
  }
}

function verifyBlob(blob: Buffer, message: Uint8Array | string, namespace: string): SshVerdict {
  const wire = readWire(blob)
  if (!wire.bytes(MAGIC.length).equals(MAGIC) || wire.uint32() !== 1) {
    return { kind: 'malformed', why: 'it is not an SSH signature of version 1' }
  }
  const key = keyOfBlob(wire.string())
  if (key === undefined) return { kind: 'malformed', why: 'it is not made with an ed25519 key' }
  const [purpose, reserved, hash] = [wire.text(), wire.string(), wire.text()]
  const inner = readWire(wire.string())
  const kind = inner.text()
  const raw = inner.string()
  if (!wire.isAtEnd() || !inner.isAtEnd() || reserved.length > 0) {
    return { kind: 'malformed', why: 'there is more in it than belongs there' }
  }
  if (purpose !== namespace) {
    return { kind: 'malformed', why: `it was made for ${JSON.stringify(purpose)}, not for ${namespace}` }
  }
  if (!HASHES.has(hash) || kind !== ED25519 || raw.length !== SIGNATURE_BYTES) {
    return { kind: 'malformed', why: 'it is made in another way than ed25519 over SHA-2' }
  }
  const isGood = verify(null, signedBytes(message, namespace, hash), toKeyObject(key), raw)
  return { kind: isGood ? 'good' : 'bad', key }
}

function signedBytes(message: Uint8Array | string, namespace: string, hash: string): Buffer {
  const digest = createHash(hash).update(message).digest()
  return Buffer.concat([MAGIC, wireString(namespace), wireString(''), wireString(hash), wireString(digest)])
}
