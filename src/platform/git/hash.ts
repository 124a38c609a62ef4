import { createHash } from 'node:crypto'

/** The name of an object is the hash of its content. `id` tells which kind of hash. */
export function isNamed(id: string, type: string, content: Buffer): boolean {
  const hash = createHash(id.length === 64 ? 'sha256' : 'sha1')
  return hash.update(`${type} ${content.length}\0`).update(content).digest('hex') === id
}
