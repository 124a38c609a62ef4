import { collectOutput } from './collect.ts'
import type { Descendants } from './descendants.ts'
import { createRace } from './race.ts'
import { diagnoseSpawn, diagnoseStatus127 } from './spawn-problem.ts'
import { type StartContext, startProgram } from './start.ts'
import type { ProcessEnd, ProcessRequest } from './starter.ts'
import { createTree } from './tree.ts'
import { type Cause, graceOf, watchForEnd } from './watch-end.ts'

export interface RunContext extends StartContext {
  readonly descendants: Descendants | undefined
  /** The starter itself closes. */
  readonly closing: AbortSignal
}

/** One program from start to end. */
export async function runProcess(request: ProcessRequest, context: RunContext): Promise<ProcessEnd> {
  const { guardian, descendants, marker } = context
  if (request.signal.aborted || context.closing.aborted) return NOT_STARTED
  const at = performance.now()
  const program = startProgram(request, context)
  if (program instanceof Promise) return notSpawned(request, await program)
  const { child, pid, stdout, stderr } = program

  const race = createRace<Cause>()
  const reaped = new Promise<void>((settle) => {
    child.once('exit', () => {
      race.win('exit')
      settle()
    })
  })
  const output = collectOutput(stdout, stderr, request.outputBytes, () => race.win('limit'))
  const stopWaiting = watchForEnd(race, request, context.closing)

  const isReaped = () => child.exitCode !== null || child.signalCode !== null
  const tree = createTree({ pid, marker, at, isReaped, reaped }, descendants)
  const cause = await race.over
  stopWaiting()
  await (cause === 'exit' ? tree.sweep() : tree.end(graceOf(request.graceMs, context.closing)))
  await output.drain()
  child.stdin?.destroy()
  child.unref()
  guardian.remove(pid)

  const end: ProcessEnd = { cause, exitCode: child.exitCode, signal: child.signalCode, ...output.take() }
  return cause === 'exit' && end.exitCode === 127 ? unlessNotSpawned(request, end) : end
}

const NO_OUTPUT = { exitCode: null, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) } as const
const NOT_STARTED: ProcessEnd = { cause: 'abort', ...NO_OUTPUT }

function notSpawned(request: ProcessRequest, error: NodeJS.ErrnoException): ProcessEnd {
  return { cause: 'spawn', ...NO_OUTPUT, error, problem: diagnoseSpawn(request, error) }
}

/** A status of 127 is the shell's and env's word for a program they did not find. */
function unlessNotSpawned(request: ProcessRequest, end: ProcessEnd): ProcessEnd {
  const problem = end.stdout.length === 0 ? diagnoseStatus127(request) : undefined
  return problem === undefined ? end : { ...end, cause: 'spawn', problem }
}
