import { keyFingerprint, type ListingDifference } from '../../formats/index.ts'
import type { Signature, SignatureOutcome } from '../../model/index.ts'

/** What is to be said of one package. */
export interface Verification extends ListingDifference {
  readonly name: string | null
  readonly version: string | null
  readonly path: string
  readonly outcome: SignatureOutcome
  readonly message: string
  readonly signer: { readonly key: string; readonly fingerprint: string } | null
  /** Whether the policy lets it pass. */
  readonly passes: boolean
}

export const NO_DIFFERENCE: ListingDifference = { changed: [], added: [], missing: [] }

/** A signature in the words of a verification. */
export function describe({
  outcome,
  key,
  why,
}: Signature): Pick<Verification, 'outcome' | 'message' | 'signer'> {
  const signer = key === undefined ? null : { key, fingerprint: keyFingerprint(key) }
  const by = signer === null ? [] : [`signed by ${signer.fingerprint}`]
  return { outcome, message: [...by, ...(why === undefined ? [] : [why])].join('; '), signer }
}
