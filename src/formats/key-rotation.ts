import { isJsonObject } from '../model/index.ts'
import type { KeyPair } from './ssh/private-key.ts'
import { readPublicKey } from './ssh/public-key.ts'
import { signSsh, verifySsh } from './ssh/signature.ts'

/** Where a package carries what its earlier keys said about their successors. */
export const ROTATION_FILE = 'meta/rotation.sig'
const NAMESPACE = 'orla-rotation'
/** Nobody changes keys so often; a longer file is not worth the time. */
const MOST = 32

/** One key saying which key comes after it. */
export interface Rotation {
  readonly from: string
  readonly to: string
  readonly sig: string
}

export function rotate(old: KeyPair, to: string): Rotation {
  return { from: old.publicKey, to, sig: signSsh(statement(old.publicKey, to), NAMESPACE, old) }
}

export function formatRotations(rotations: readonly Rotation[]): string {
  return `${JSON.stringify({ v: 1, rotations }, null, 2)}\n`
}

/** Those of a file that are what they say; a file that is none has none. */
export function readRotations(source: string): Rotation[] {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    return []
  }
  if (!isJsonObject(value) || value.v !== 1 || !Array.isArray(value.rotations)) return []
  return value.rotations.slice(0, MOST).filter(isGood)
}

/** Whether each key between the two vouched for the next. A revoked one vouches for nobody. */
export function leadsTo(
  rotations: readonly Rotation[],
  from: readonly string[],
  to: string,
  isRevoked: (key: string) => boolean,
): boolean {
  const reached = new Set(from.filter((key) => !isRevoked(key)))
  for (const key of reached)
    for (const one of rotations) if (one.from === key && !isRevoked(one.to)) reached.add(one.to)
  return reached.has(to)
}

function isGood(value: unknown): value is Rotation {
  if (!isJsonObject(value)) return false
  const { from, to, sig } = value
  if (typeof from !== 'string' || typeof to !== 'string' || typeof sig !== 'string') return false
  if (readPublicKey(from) !== from || readPublicKey(to) !== to) return false
  const verdict = verifySsh(sig, statement(from, to), NAMESPACE)
  return verdict.kind === 'good' && verdict.key === from
}

function statement(from: string, to: string): string {
  return `orla-rotation-v1\n${from}\n${to}\n`
}
