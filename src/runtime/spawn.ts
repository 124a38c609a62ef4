import { buildInvocation } from './argv.ts'
import { type Executor, refuse } from './executor.ts'
import type { RunProgram } from './program.ts'
import { timeLimit } from './time-limit.ts'

/** Runs a program once for each call, with its arguments as flags. */
export function createSpawnExecutor(runProgram: RunProgram): Executor<'spawn'> {
  return async (run, job) => {
    const { name, inputSchema } = job.tool
    const invocation = buildInvocation(job.arguments, inputSchema)
    if ('problem' in invocation) return refuse('input', `\`${name}\` was not started: ${invocation.problem}`)
    return runProgram(run.command, { ...invocation, timeoutMs: timeLimit(run, job) }, job)
  }
}
