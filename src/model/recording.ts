import type { Json } from './json.ts'

/** One successful call as it is kept: what it was given and what it gave, as far as that may be kept. */
export interface CallRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  /** Calls of one connection have it in common. */
  readonly who: string
  readonly tool: string
  readonly version: string
  /** Its arguments by name. */
  readonly input: Readonly<Record<string, KeptValue>>
  readonly output: readonly KeptNode[]
}

/** What is kept of a value: enough to find it again elsewhere. */
export interface KeptValue {
  /** Equal values have equal hashes, made with a key of this machine; empty for what must not be kept. */
  readonly hash: string
  /** How much two equal ones say about each other: 0 for `true` or `1`, up to 1 for what is rarely twice the same. */
  readonly weight: number
  readonly type: 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object'
  /** Only where values may be kept. */
  readonly value?: Json
}

/** A value inside an output, by the JSONPath that leads to it. */
export interface KeptNode extends KeptValue {
  readonly path: string
}
