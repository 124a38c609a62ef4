import type { JsonObject, JsonSchema } from './json.ts'

/** Every format becomes this; nothing downstream asks which format it was. */
export interface Tool {
  readonly name: string
  readonly title?: string
  readonly version: string
  readonly description: string
  /** Absent when nothing was declared: then nothing is validated and clients see `OPEN_INPUT`. */
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
  readonly icons?: readonly JsonObject[]
  readonly meta?: JsonObject
  readonly origin: Origin
  readonly run: Run
  /** Same digest, same tool: a reload leaves it (and its process) alone. */
  readonly digest: string
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
    }

/** A program and its fixed words. What a call adds comes behind `args`. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Names of the variables it gets of what Orla has; absent: all but Orla's own. */
  readonly passEnv?: readonly string[]
  /** The file a person would edit: the script behind an interpreter, else `file` itself. */
  readonly script: string
}

export interface RunKinds {
  spawn: { readonly command: Command; readonly timeoutMs?: number }
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
