import { sha1, sha256 } from '../../model/index.ts'

/** The name of an object is the hash of its content. `id` tells which kind of hash. */
export function isNamed(id: string, type: string, content: Buffer): boolean {
  const hash = id.length === 64 ? sha256 : sha1
  return hash(`${type} ${content.length}\0`, content) === id
}
