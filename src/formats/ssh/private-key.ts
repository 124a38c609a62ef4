import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { OrlaError } from '../../model/index.ts'
import { blobOfKey, ED25519, keyOfBlob, keyOfBytes } from './public-key.ts'
import { readArmour, readWire, type WireReader, wireString, wireUint32, writeArmour } from './wire.ts'

/** A key that can sign, and the one that everybody may know. */
export interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: string
  readonly comment: string
}

const LABEL = 'OPENSSH PRIVATE KEY'
const MAGIC = 'openssh-key-v1\0'
const SEED_BYTES = 32
/** DER before the seed of an ed25519 key. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export function generateKeyPair(comment: string): KeyPair {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { privateKey, publicKey: publicOf(privateKey), comment }
}

/** A private key as `ssh-keygen -t ed25519` writes it, without a passphrase. Says nothing of what is in it. */
export function readPrivateKey(text: string, file: string): KeyPair {
  const bytes = readArmour(text, LABEL)
  if (bytes === undefined) throw unreadable(file, 'it is not an OpenSSH private key')
  try {
    return readPair(readWire(bytes), file)
  } catch (error) {
    if (error instanceof OrlaError) throw error
    throw unreadable(file, 'it is damaged')
  }
}

function readPair(wire: WireReader, file: string): KeyPair {
  if (wire.bytes(MAGIC.length).toString('latin1') !== MAGIC) throw unreadable(file, 'it is damaged')
  const [cipher, derivation] = [wire.text(), wire.text()]
  wire.string()
  if (cipher !== 'none' || derivation !== 'none') {
    throw unreadable(
      file,
      'it is protected by a passphrase',
      'make a key for signing: `orla keys generate NAME`',
    )
  }
  if (wire.uint32() !== 1) throw unreadable(file, 'it holds more than one key')
  const publicKey = keyOfBlob(wire.string())
  if (publicKey === undefined) throw unreadable(file, 'it is not an ed25519 key', 'ssh-keygen -t ed25519')
  const inner = readWire(wire.string())
  const [check, again] = [inner.uint32(), inner.uint32()]
  const isWhole = check === again && inner.text() === ED25519
  const own = inner.string()
  const secret = inner.string()
  const comment = inner.string().toString('utf8')
  const isPadded = inner.rest().every((byte, index) => byte === index + 1)
  if (!isWhole || !isPadded || !wire.isAtEnd() || secret.length !== SEED_BYTES * 2) {
    throw unreadable(file, 'it is damaged')
  }
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, secret.subarray(0, SEED_BYTES)]),
    format: 'der',
    type: 'pkcs8',
  })
  // Three copies of the public half, and what the private one gives: they must all be the same key.
  const same = [keyOfBytes(own), keyOfBytes(secret.subarray(SEED_BYTES)), publicOf(privateKey)]
  if (same.some((key) => key !== publicKey)) throw unreadable(file, 'it is damaged')
  return { privateKey, publicKey, comment }
}

/** The same file that ssh-keygen would write, so that ssh and git can use the key too. */
export function writePrivateKey({ privateKey, publicKey, comment }: KeyPair): string {
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-SEED_BYTES)
  const bytes = blobOfKey(publicKey).subarray(-SEED_BYTES)
  const check = randomBytes(4)
  const inner = Buffer.concat([
    check,
    check,
    wireString(ED25519),
    wireString(bytes),
    wireString(Buffer.concat([seed, bytes])),
    wireString(comment),
  ])
  const padding = Buffer.from(Array.from({ length: (8 - (inner.length % 8)) % 8 }, (_, index) => index + 1))
  return writeArmour(
    Buffer.concat([
      Buffer.from(MAGIC),
      wireString('none'),
      wireString('none'),
      wireString(''),
      wireUint32(1),
      wireString(blobOfKey(publicKey)),
      wireString(Buffer.concat([inner, padding])),
    ]),
    LABEL,
  )
}

function publicOf(privateKey: KeyObject): string {
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
  return keyOfBytes(der.subarray(-SEED_BYTES))
}

function unreadable(file: string, why: string, hint?: string): OrlaError {
  return new OrlaError('E_KEY', `${file} cannot be used: ${why}`, hint === undefined ? {} : { hint })
}
