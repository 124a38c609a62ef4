import { execFileSync } from 'node:child_process'
import { cpus } from 'node:os'

/**
 * Where client, Orla and capsule can run on two processors. Of the floor, the echo stands where Orla stands, and the
 * pipe crosses from one processor to the other where Orla and its capsule do.
 */
export const PLACES = [
  { where: 'all on one processor', orla: 0, capsule: 0, pipe: 0, echo: 0 },
  { where: 'the client on a processor of its own', orla: 1, capsule: 1, pipe: 0, echo: 1 },
  { where: 'Orla on a processor of its own', orla: 1, capsule: 0, pipe: 1, echo: 1 },
  { where: 'the capsule on a processor of its own', orla: 0, capsule: 1, pipe: 1, echo: 0 },
]

/** Says why not, where programs cannot be put in a place. */
export function whyNoPlaces() {
  if (cpus().length < 2) return 'it takes two processors'
  try {
    execFileSync('taskset', ['-V'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'it takes `taskset` (apt-get install util-linux)'
  }
}

/** Puts a process, with all its threads, on these processors. */
export function put(pid, processors) {
  execFileSync('taskset', ['-a', '-c', '-p', processors, `${pid}`], { stdio: 'ignore' })
}

export const ANYWHERE = `0-${cpus().length - 1}`
