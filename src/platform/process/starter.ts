/**
 * Starts one program, gives it its input, and returns what it printed. What every starter promises
 * (`starter.contract.ts` checks it): `run` never throws, the first of exit, timeout, abort and limit is the
 * recorded cause, and the whole process tree is gone before the promise resolves.
 */
export interface ProcessStarter {
  run(request: ProcessRequest): Promise<ProcessEnd>
  /** Ends what runs (as an abort) and everything the starter keeps beside it. Later runs answer `abort`. */
  close(): Promise<void>
}

export interface ProcessRequest {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string | Uint8Array
  /** Counted from the start of the process. `0` and `Infinity` mean none. */
  readonly timeoutMs: number
  /** Between TERM and KILL of the whole tree. */
  readonly graceMs: number
  /** Standard output and error together; beyond it the tree is ended. */
  readonly outputBytes: number
  readonly signal: AbortSignal
  /** The file an interpreter in `file` is to read. When it is gone nothing is started. */
  readonly script?: string
}

export interface ProcessEnd {
  readonly cause: 'exit' | 'timeout' | 'abort' | 'limit' | 'spawn'
  readonly exitCode: number | null
  readonly signal: string | null
  /** On `limit` the first `KEPT_BYTES` of each stream, else everything. */
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** For `spawn`: what the system said, and what it means. */
  readonly error?: NodeJS.ErrnoException
  readonly problem?: SpawnProblem
}

/** Why a program could not start, in terms a person can act on. */
export type SpawnProblem =
  | { readonly kind: 'cwd-missing'; readonly path: string }
  | { readonly kind: 'file-missing'; readonly path: string }
  | { readonly kind: 'interpreter-missing'; readonly path: string; readonly interpreter: string }
  /** The first line ends in a carriage return, so the system looks for an interpreter of that name. */
  | { readonly kind: 'carriage-return'; readonly path: string; readonly interpreter: string }
  | { readonly kind: 'not-executable'; readonly path: string }
  | { readonly kind: 'no-format'; readonly path: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'nul-byte' }
  | { readonly kind: 'busy'; readonly path: string }
  | { readonly kind: 'no-resources'; readonly code: string }
  | { readonly kind: 'other'; readonly message: string }

export const KEPT_BYTES = 64 * 1024
