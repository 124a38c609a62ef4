import type { JsonObject, JsonSchema } from './json.ts'
import type { ChainStep, HttpEndpoint, McpkgAuth } from './mcpkg.ts'
import type { ManifestLimits, Receipt } from './package.ts'

/** Of what has none, as a loose tool. People see a `-` in its place. */
export const NO_VERSION = '0.0.0'

/** Every format becomes this; nothing downstream asks which format it was. */
export interface Tool {
  readonly name: string
  readonly title?: string | undefined
  readonly version: string
  readonly description: string
  /** Absent when nothing was declared: then nothing is validated and clients see `OPEN_INPUT`. */
  readonly inputSchema?: JsonSchema | undefined
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
  readonly icons?: readonly JsonObject[]
  readonly meta?: JsonObject
  readonly origin: Origin
  readonly run: Run
  /** Same digest, same tool: a reload leaves it (and its process) alone. */
  readonly digest: string
  /** What clients read of it, where that was kept: what is only passed on need not be parsed. */
  readonly written?: WrittenFace | undefined
}

/** Parts of a tool as JSON.stringify writes them, empty where it has none. A tool that has this has no others. */
export interface WrittenFace {
  readonly title: string
  readonly description: string
  readonly inputSchema: string
}

export type Origin =
  | {
      readonly kind: 'loose'
      /** The executable, absolute. */
      readonly file: string
    }
  | {
      readonly kind: 'package'
      /** The entrypoint, absolute. */
      readonly file: string
      readonly folder: string
      readonly scope: 'project' | 'global'
      readonly package: PackageFacts
    }

/** What is known of the package a tool belongs to, for whoever holds it to its word. */
export interface PackageFacts {
  readonly name: string
  /** Permission words of its manifest; null when it says nothing. */
  readonly permissions: readonly string[] | null
  readonly limits: ManifestLimits
  /** Absent for a folder that someone placed or linked: it is their own, like a loose tool. */
  readonly receipt?: Pick<Receipt, 'digest' | 'permissions'>
}

/** A program and its fixed words. What a call adds comes behind `args`. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Names of the variables it gets of what Orla has; absent: all but Orla's own. */
  readonly passEnv?: readonly string[]
  /** Names of the variables it gets with the value of the secret that is called so. */
  readonly secrets?: readonly string[]
  /** The file a person would edit: the script behind an interpreter, else `file` itself. */
  readonly script: string
}

export interface RunKinds {
  spawn: { readonly command: Command; readonly timeoutMs?: number }
  capsule: {
    readonly capsule: Capsule
    /** What the process calls the tool. */
    readonly toolName: string
    readonly timeoutMs?: number
  }
  implementations: {
    /** What can run here, the first choice first. */
    readonly candidates: readonly Candidate[]
    /** For candidates that name none of their own. */
    readonly timeoutMs?: number
  }
  chain: {
    readonly steps: readonly ChainStep[]
    /** For all steps together; without it each step has its own. */
    readonly timeoutMs?: number
  }
}

/** One way to carry out a tool that has several. */
export type Candidate = LocalCandidate | HttpCandidate

export interface LocalCandidate {
  readonly id: string
  readonly kind: 'local'
  readonly command: Command
  readonly timeoutMs?: number
}

export interface HttpCandidate {
  readonly id: string
  readonly kind: 'http'
  readonly endpoint: HttpEndpoint
  readonly auth: McpkgAuth
  readonly timeoutMs?: number
}

/** A process that stays: how it is started, recognised, watched and kept. All tools it serves share this object. */
export interface Capsule {
  readonly name: string
  readonly version: string
  readonly command: Command
  /** The package it belongs to; absent where nobody holds it to anything. */
  readonly origin?: Origin
  /** Same identity, same process: a reload that leaves it as it was does not touch it. */
  readonly identity: string
  /** Who speaks first: `orla.hello` from the process, or MCP's `initialize` to it. */
  readonly handshake: 'orla' | 'mcp'
  readonly startupTimeoutMs: number
  readonly start: 'lazy' | 'eager'
  readonly hotLoad?: { readonly paths: readonly string[]; readonly debounceMs: number }
  readonly health?: { readonly intervalMs: number; readonly timeoutMs: number }
  readonly idleTimeoutMs?: number
  readonly maxConcurrency?: number
  /** It was installed: what its tools say was accepted then, and does not change by itself. */
  readonly pinned?: true
  readonly restart: Partial<RestartPolicy>
}

/** What it does not say itself comes from the configuration. */
export interface RestartPolicy {
  readonly baseMs: number
  readonly capMs: number
  /** Crashes within the window after which it is left alone. */
  readonly limit: number
  readonly windowMs: number
}

/** The programs behind a tool, whether they run once for each call or stay. */
export function commandsOf(run: Run): readonly Command[] {
  switch (run.kind) {
    case 'spawn':
      return [run.command]
    case 'capsule':
      return [run.capsule.command]
    case 'implementations':
      return run.candidates.flatMap((candidate) => (candidate.kind === 'local' ? [candidate.command] : []))
    case 'chain':
      return []
  }
}

export type RunKind = keyof RunKinds
export type Run = { [K in RunKind]: { readonly kind: K } & RunKinds[K] }[RunKind]

/** What clients see for a tool that declared no input. */
export const OPEN_INPUT: JsonSchema = {
  type: 'object',
  properties: {
    args: { type: 'array', items: { type: 'string' }, description: 'Positional words, after any flags' },
    stdin: { type: 'string', description: 'Text for standard input' },
  },
  additionalProperties: true,
}

const TOOL_NAME = /^[A-Za-z0-9_.-]{1,128}$/

/** The names the protocol allows: 1 to 128 of letters, digits, `_`, `.` and `-`. */
export function isToolName(name: string): boolean {
  return TOOL_NAME.test(name)
}
