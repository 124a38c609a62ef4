/** What became of a package's signature. Each is something else for a person to do. */
export type SignatureOutcome =
  | 'ok'
  | 'unsigned'
  /** Well signed, by a key nobody here has said anything about. */
  | 'unknown-key'
  /** Well signed, by another key than before. */
  | 'key-changed'
  | 'revoked'
  | 'bad-signature'
  | 'content-mismatch'
  | 'malformed'

export interface Signature {
  readonly outcome: SignatureOutcome
  /** Who signed it: `ssh-ed25519 AAAA…`. Absent where nobody did, or nobody can tell. */
  readonly key?: string
  /** For people. */
  readonly why?: string
  /** The key that was trusted before named this one as its successor. */
  readonly isRotation?: true
}

/** What is done about packages that are not signed, or by a key nobody knows. What is false is always refused. */
export type SignaturePolicy = 'off' | 'warn' | 'require'
