import type { SandboxLimits } from '../../model/index.ts'
import type { ProcessLimits, ProcessSetup } from '../process/launcher/setup.ts'
import { countTasks } from './count-tasks.ts'
import { SandboxRefusal } from './refusal.ts'
import { findGroupParent, makeTaskGroup, type TaskGroup } from './task-group.ts'

/** By what a number of processes is held: a limit of the user, which does not bind root, or a group. */
export type Counting = 'user' | 'group' | 'none'

export interface HeldLimits {
  /** As the launcher sets them; undefined when there are none. */
  readonly setup: ProcessSetup | undefined
  /** Lets go of what counts it, when it has ended. */
  close(): Promise<void>
}

export interface Companions {
  /** It runs in bwrap. */
  readonly wrapped?: boolean
  /** Beside it runs what leads it to single hosts. */
  readonly relayed?: boolean
}

/** Throws a `SandboxRefusal`. */
export function holdLimits(
  limits: SandboxLimits,
  counting: Counting,
  companions: Companions = {},
): HeldLimits {
  const { cpuMs, memoryBytes, processes, fileBytes } = limits
  const given: ProcessLimits = {
    ...(cpuMs !== undefined && { cpuSeconds: Math.ceil(cpuMs / 1000) }),
    ...(memoryBytes !== undefined && { dataBytes: memoryBytes }),
    // The system counts all that the user runs.
    ...(processes !== undefined && counting === 'user' && { processes: countTasks() + processes }),
    ...(fileBytes !== undefined && { fileBytes }),
  }
  const group =
    processes !== undefined && counting === 'group'
      ? countedGroup(processes + tasksOf(companions))
      : undefined
  const setup = {
    ...(Object.keys(given).length > 0 && { limits: given }),
    ...(group && { group: group.procs }),
  }
  return {
    setup: Object.keys(setup).length > 0 ? setup : undefined,
    close: async () => group?.close(),
  }
}

/** bwrap waits outside and inside; the relay is a Node, with its threads. */
function tasksOf({ wrapped, relayed }: Companions): number {
  return (wrapped ? 2 : 0) + (relayed ? 16 : 0)
}

function countedGroup(most: number): TaskGroup {
  try {
    const parent = findGroupParent()
    if (parent === undefined) throw new Error('there is no place for a control group any more')
    return makeTaskGroup(parent, most)
  } catch (error) {
    throw new SandboxRefusal(`its number of processes cannot be held: ${(error as Error).message}`)
  }
}
