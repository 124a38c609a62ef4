import type { Confinement, JsonObject, Origin, SandboxLimits } from '../model/index.ts'
import type { ProcessStarter } from '../platform/index.ts'

/** Whose program is about to start: a tool, or a capsule. */
export interface Subject {
  readonly name: string
  readonly origin: Origin
  /** Its process serves many calls: a bound on the time of one does not fit it. */
  readonly stays?: boolean
}

/** How a program is held for one start; undefined for one that starts as it is. `input`: the arguments of a call. */
export type Confine = (subject: Subject, input?: JsonObject) => Hold | undefined

export interface Hold {
  /** Starts programs, held. */
  readonly starter: Pick<ProcessStarter, 'run' | 'open'>
  /** In force, beside those of time and output. */
  readonly limits: SandboxLimits
  /** Why it must not start; undefined when it may. Follows the name of the tool. */
  denied(): Promise<string | undefined>
  /** Of the last start; undefined before it, and where nothing but limits is held. */
  confinement(): Confinement | undefined
}
