import type { JsonObject, JsonSchema } from './json.ts'

/** CREATED has no process and starts on the next call; STOPPED has none and refuses calls until someone starts it. */
export type CapsuleState = 'CREATED' | 'STARTING' | 'READY' | 'RELOADING' | 'CRASHED' | 'STOPPED'

/** What `orla capsule status` tells about one. */
export interface CapsuleStatus {
  readonly name: string
  readonly version: string
  readonly state: CapsuleState
  readonly pid: number | null
  /** When it came into this state, ISO 8601. */
  readonly since: string
  /** Crashes within the window that counts. */
  readonly crashes: number
  /** Processes started so far. */
  readonly starts: number
  /** Calls answered or failed so far. */
  readonly calls: number
  readonly running: number
  readonly waiting: number
  readonly last_error: string | null
  /** The tools it serves, as clients see them. */
  readonly tools: readonly string[]
}

/** What the commands can ask of a running server. Each refuses unknown names with `E_NOT_FOUND`. */
export interface CapsuleControl {
  list(): CapsuleStatus[]
  /** Resolves once it is READY, or throws with the reason it is not. */
  start(name: string): Promise<CapsuleStatus>
  stop(name: string): Promise<CapsuleStatus>
  restart(name: string): Promise<CapsuleStatus>
  /** The last lines it wrote to stderr and what happened to it, oldest first. */
  logs(name: string): CapsuleLogLine[]
}

export interface CapsuleLogLine {
  readonly time: string
  /** Who said it: the capsule itself (stderr; stdout that is no message, or one for the log), or Orla about it. */
  readonly source: 'stderr' | 'stdout' | 'orla'
  readonly text: string
}

/** One of the tools an MCP server in a capsule says it has. */
export interface OfferedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
  readonly icons?: readonly JsonObject[]
  readonly meta?: JsonObject
}
