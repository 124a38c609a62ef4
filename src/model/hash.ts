import { createHash, hash as hashAtOnce } from 'node:crypto'
import { smallSha1, smallSha256 } from './small-hash.ts'

/** Hexadecimal. What is given in parts is hashed as one. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  return hash('sha256', smallSha256, parts)
}

export function sha1(...parts: readonly (string | Uint8Array)[]): string {
  return hash('sha1', smallSha1, parts)
}

/**
 * A short command hashes less than this. Whoever comes to it loads `node:crypto`, which takes about as long as hashing so
 * much in code that runs for the first time.
 */
const SMALL_BYTES = 6 * 1024
let smallLeft = SMALL_BYTES
/** Each time costs something, however short. */
const LEAST_BYTES = 128

function hash(
  kind: 'sha1' | 'sha256',
  small: (bytes: Uint8Array) => string,
  parts: readonly (string | Uint8Array)[],
): string {
  const bytes = smallLeft > 0 ? wholeOf(parts) : undefined
  if (bytes !== undefined && bytes.length <= smallLeft) {
    smallLeft -= Math.max(bytes.length, LEAST_BYTES)
    return small(bytes)
  }
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return hashAtOnce(kind, only)
  const hash = createHash(kind)
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

/** Undefined when it is not worth putting together. */
function wholeOf(parts: readonly (string | Uint8Array)[]): Uint8Array | undefined {
  let length = 0
  for (const part of parts) length += part.length
  if (length > smallLeft) return undefined
  const [only] = parts
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return only
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}
