/** What a client may prove itself with. Without any of these everyone may call. */
export interface Credentials {
  /** Opens everything. */
  readonly token: string | null
  readonly tokens?: readonly NamedToken[]
  readonly oauth?: OAuthSettings
}

export interface NamedToken {
  readonly name: string
  readonly token: string
  /** Patterns of tool names; absent: all. */
  readonly tools?: readonly string[]
}

/** The server takes access tokens of this issuer; it gives none out and passes none on. */
export interface OAuthSettings {
  readonly issuer: string
  readonly audience: string
  /** The URL by which clients know this server; absent: the one they used. */
  readonly resource?: string
  /** Patterns of tool names by scope; absent: every token opens all. */
  readonly scopes?: Readonly<Record<string, readonly string[]>>
}

export function wantsCredentials({ token, tokens = [], oauth }: Credentials): boolean {
  return Boolean(token) || tokens.length > 0 || oauth !== undefined
}
