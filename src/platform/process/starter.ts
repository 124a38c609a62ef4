import type { Readable, Writable } from 'node:stream'

/**
 * Starts programs. What every starter promises (`starter.contract.ts` checks it): nothing throws, the first of
 * exit, timeout, abort and limit is the recorded cause, and the whole process tree is gone before `run`, `exited`
 * or `end` resolves.
 */
export interface ProcessStarter {
  /** Starts one program, gives it its input, and returns what it printed. */
  run(request: ProcessRequest): Promise<ProcessEnd>
  /** Starts a program that stays and hands over its streams. */
  open(request: OpenRequest): Promise<OpenProcess | OpenFailure>
  /**
   * Ends what runs (as an abort) and everything the starter keeps beside it. Later runs answer `abort`. `graceMs`: at
   * most so long between TERM and KILL.
   */
  close(graceMs?: number): Promise<void>
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

export interface OpenRequest
  extends Pick<ProcessRequest, 'file' | 'args' | 'cwd' | 'env' | 'graceMs' | 'script'> {
  /**
   * `file`: the program will later take the input of a call. A starter that gives calls a file to read opens one for
   * it as descriptor 3, and outputs that can be opened by name; where they are pipes this changes nothing.
   */
  readonly input?: 'file'
}

/** A program that runs until it ends or is ended. Errors of the streams are swallowed: `exited` tells the end. */
export interface OpenProcess {
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** The file for the input, open until `exited`. */
  readonly input?: number
  /** Once it has ended, by itself or not, its outputs are read to their end and nothing it started is left. */
  readonly exited: Promise<OpenEnd>
  /** The moment the program itself is gone, before anything is swept: for who must answer at once. */
  readonly gone: Promise<OpenEnd>
  /**
   * Closes its input, waits `leaveMs` for it to leave by itself (a part of the grace unless told), then TERM,
   * `graceMs`, KILL, for the whole tree. Safe to call twice.
   */
  end(graceMs?: number, leaveMs?: number): Promise<void>
}

export interface OpenEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** When it was `env` that started and did not find the interpreter. */
  readonly problem?: SpawnProblem
}

export interface OpenFailure {
  readonly error: NodeJS.ErrnoException
  readonly problem: SpawnProblem
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
  /** Of the program and what it waited for, where the starter can tell. */
  readonly usage?: { readonly cpuMs: number; readonly maxRssBytes: number }
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
  /** What holds programs back does not let it start. */
  | { readonly kind: 'denied'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string }

export const KEPT_BYTES = 64 * 1024
