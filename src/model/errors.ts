/**
 * What a person can act on. Anything else that is thrown is a bug and shows its stack.
 * Codes are never reused; each has a section in docs/errors.md.
 */
export class OrlaError extends Error {
  readonly code: ErrorCode
  readonly hint: string | undefined

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'OrlaError'
    this.code = code
    this.hint = options.hint
  }
}

interface Meaning {
  /** The exit status of a command that ends with this error. */
  readonly exit: 1 | 2 | 3 | 4 | 124 | 126 | 130
  /** The HTTP status of a refused request. */
  readonly http: number
  /** The JSON-RPC code a client sees. */
  readonly rpc: number
}

const INTERNAL = -32603
const INVALID_PARAMS = -32602

export const ERRORS = {
  E_USAGE: { exit: 2, http: 400, rpc: INVALID_PARAMS },
  E_CONFIG: { exit: 2, http: 500, rpc: INTERNAL },
  E_TOOL_NOT_FOUND: { exit: 4, http: 404, rpc: INVALID_PARAMS },
  E_TOOL_INPUT: { exit: 2, http: 400, rpc: INVALID_PARAMS },
  E_TOOL_FAILED: { exit: 1, http: 500, rpc: INTERNAL },
  E_TOOL_TIMEOUT: { exit: 124, http: 504, rpc: INTERNAL },
  E_TOOL_CRASHED: { exit: 1, http: 500, rpc: INTERNAL },
  E_CAPSULE: { exit: 1, http: 500, rpc: INTERNAL },
  E_TOOL_START: { exit: 126, http: 500, rpc: INTERNAL },
  E_INTERRUPTED: { exit: 130, http: 499, rpc: INTERNAL },
  E_PORT_IN_USE: { exit: 1, http: 500, rpc: INTERNAL },
  E_LISTEN: { exit: 1, http: 500, rpc: INTERNAL },
  E_TLS: { exit: 1, http: 500, rpc: INTERNAL },
  E_AUDIT: { exit: 3, http: 503, rpc: INTERNAL },
  E_EXPOSED: { exit: 3, http: 403, rpc: INTERNAL },
  E_NO_SERVER: { exit: 4, http: 404, rpc: INTERNAL },
  E_RELOAD: { exit: 1, http: 500, rpc: INTERNAL },
  E_FILE: { exit: 1, http: 500, rpc: INTERNAL },
  E_SOURCE: { exit: 2, http: 400, rpc: INVALID_PARAMS },
  E_GIT_MISSING: { exit: 1, http: 500, rpc: INTERNAL },
  E_GIT: { exit: 1, http: 502, rpc: INTERNAL },
  E_GIT_DAMAGED: { exit: 1, http: 500, rpc: INTERNAL },
  E_NETWORK: { exit: 1, http: 502, rpc: INTERNAL },
  E_OFFLINE: { exit: 1, http: 502, rpc: INTERNAL },
  E_DOWNLOAD: { exit: 1, http: 502, rpc: INTERNAL },
  E_TAG: { exit: 3, http: 403, rpc: INTERNAL },
  E_CHECKSUM: { exit: 3, http: 403, rpc: INTERNAL },
  E_ARCHIVE: { exit: 1, http: 500, rpc: INTERNAL },
  E_UNSAFE_TREE: { exit: 3, http: 403, rpc: INTERNAL },
  E_LOCK: { exit: 1, http: 500, rpc: INTERNAL },
  E_NOT_FOUND: { exit: 4, http: 404, rpc: INVALID_PARAMS },
  E_PACKAGE: { exit: 1, http: 500, rpc: INTERNAL },
  E_DEPENDENCY: { exit: 1, http: 500, rpc: INTERNAL },
  E_TESTS: { exit: 1, http: 500, rpc: INTERNAL },
  E_BASELINE: { exit: 1, http: 500, rpc: INTERNAL },
  E_REGRESSION: { exit: 3, http: 403, rpc: INTERNAL },
  E_HOOK: { exit: 1, http: 500, rpc: INTERNAL },
  E_REFUSED: { exit: 3, http: 403, rpc: INTERNAL },
  E_UNTRUSTED: { exit: 3, http: 403, rpc: INTERNAL },
  E_FROZEN: { exit: 3, http: 403, rpc: INTERNAL },
  E_TAG_MOVED: { exit: 3, http: 403, rpc: INTERNAL },
  E_SIGNATURE: { exit: 3, http: 403, rpc: INTERNAL },
  E_DOWNGRADE: { exit: 3, http: 403, rpc: INTERNAL },
  E_KEY: { exit: 1, http: 500, rpc: INTERNAL },
} as const satisfies Record<string, Meaning>

export type ErrorCode = keyof typeof ERRORS
