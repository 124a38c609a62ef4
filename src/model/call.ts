import type { Catalog } from './catalog.ts'
import type { Json, JsonObject } from './json.ts'
import type { Confinement } from './sandbox.ts'
import type { Tool } from './tool.ts'

/** One call as it reaches the runtime. The caller's catalog decides what the name means. */
export interface Call {
  readonly catalog: Catalog
  readonly name: string
  readonly arguments: JsonObject
  readonly signal: AbortSignal
  readonly progress?: (progress: Progress) => void
  readonly caller: Caller
  /** The chain of which it is a step. */
  readonly chain?: string
}

/** Who asks. Calls of one connection share its place in the queue. */
export interface Caller {
  readonly connection: string
  readonly requestId: string | number
  readonly transport: 'http' | 'stdio' | 'cli'
  readonly era: 'modern' | 'legacy' | 'none'
  /** Who it proved to be; absent where nobody asks. */
  readonly principal?: string
  /** The address it comes from. */
  readonly remote?: string
}

export interface Progress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** Unknown names throw `E_TOOL_NOT_FOUND`; everything a tool can do wrong is a value. */
export type CallTool = (call: Call) => Promise<CallResult>

/** Hears of a call that no chain made, with its arguments and its result. It must not change or keep either. */
export type ObserveCall = (call: Call, tool: Tool, result: CallResult) => void

export type FailureReason =
  | 'input'
  | 'exit'
  | 'spawn'
  | 'timeout'
  | 'cancelled'
  | 'output'
  | 'limit'
  /** The process a capsule runs in ended, or did not come up. */
  | 'crashed'
  /** Nobody accepted what it needs, or this host cannot hold it to that. */
  | 'denied'

export type CallResult =
  | { readonly ok: true; readonly output: Output; readonly ms: number }
  | {
      readonly ok: false
      readonly reason: FailureReason
      readonly message: string
      readonly output: Output
      readonly ms: number
    }

export type Output =
  | { readonly kind: 'none' }
  | ({ readonly kind: 'streams' } & Streams)
  /** JSON that fits the tool's output schema. */
  | { readonly kind: 'value'; readonly value: Json; readonly stderr: Text }
  /** A result in the protocol's own shape, as a capsule gave it. */
  | {
      readonly kind: 'content'
      readonly content: readonly JsonObject[]
      readonly structured?: JsonObject
      readonly meta?: JsonObject
    }

export interface Streams {
  readonly stdout: Text
  readonly stderr: Text
  /** null when the process was ended by a signal or never ran to its end. */
  readonly exitCode: number | null
  readonly signal: string | null
}

/** What a program printed. Bytes that are not UTF-8 travel as base64. */
export interface Text {
  readonly text: string
  readonly encoding: 'utf8' | 'base64'
  readonly bytes: number
}

export const NO_TEXT: Text = { text: '', encoding: 'utf8', bytes: 0 }

/** What statistics and logs hear about a finished call. */
export interface Measurement {
  readonly tool: string
  readonly version: string
  readonly ms: number
  readonly queuedMs: number
  readonly success: boolean
  readonly reason?: FailureReason | 'not_found'
  readonly message?: string
  readonly exitCode: number | null
  readonly bytesIn: number
  readonly bytesOut: number
  readonly usage?: { readonly cpuMs: number; readonly maxRssBytes: number }
  readonly caller: Caller
  /** What held its program back; absent for the operator's own. */
  readonly confinement?: Confinement
  /** Which of several ways carried it out. */
  readonly implementation?: string
  /** Those tried before it, in order. */
  readonly passedOver?: readonly PassedOver[]
}

/** An implementation that could not start. */
export interface PassedOver {
  readonly implementation: string
  readonly message: string
}
