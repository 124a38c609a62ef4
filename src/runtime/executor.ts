import type {
  Call,
  CallResult,
  Confinement,
  JsonObject,
  PassedOver,
  Progress,
  Run,
  RunKind,
  Tool,
} from '../model/index.ts'

/** Carries out one kind of run. Its input is valid, and its turn in the queue has come. */
export type Executor<K extends RunKind> = (run: RunOf<K>, job: Job) => Promise<Outcome>

/** One for each kind: a new kind does not compile without one. */
export type Executors = { readonly [K in RunKind]: Executor<K> }

export type RunOf<K extends RunKind> = Extract<Run, { readonly kind: K }>

export interface Job {
  readonly tool: Tool
  readonly arguments: JsonObject
  readonly signal: AbortSignal
  /** For what names no time of its own. */
  readonly timeoutMs: number
  /** Longer than this nobody may take; 0 for no such bound. */
  readonly mostMs: number
  readonly outputBytes: number
  readonly progress?: (progress: Progress) => void
  /** Who asks, and the catalog that other names are looked up in. */
  readonly call: Pick<Call, 'catalog' | 'caller'>
  /** How many chains it is inside of. */
  readonly depth: number
}

/** What came of it. The caller adds the time. */
export interface Outcome {
  readonly result: Untimed<CallResult>
  readonly exitCode: number | null
  readonly bytesIn: number
  readonly bytesOut: number
  /** Of the program and all it started, where the starter can tell. */
  readonly usage?: { readonly cpuMs: number; readonly maxRssBytes: number }
  readonly confinement?: Confinement
  readonly implementation?: string
  readonly passedOver?: readonly PassedOver[]
}

export type Untimed<R> = R extends CallResult ? Omit<R, 'ms'> : never

export type Failure = Extract<Outcome['result'], { readonly ok: false }>

/** A failure before anything ran. */
export function refuse(reason: Failure['reason'], message: string): Outcome {
  return {
    result: { ok: false, reason, message, output: { kind: 'none' } },
    exitCode: null,
    bytesIn: 0,
    bytesOut: 0,
  }
}
