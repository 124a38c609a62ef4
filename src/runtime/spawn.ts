import type { Streams } from '../model/index.ts'
import type { ProcessEnd, ProcessStarter } from '../platform/index.ts'
import { buildInvocation } from './argv.ts'
import { type Executor, type Failure, type Outcome, refuse } from './executor.ts'
import { durationWords, sizeWords } from './measure-words.ts'
import { spawnProblemWords } from './spawn-problem-words.ts'
import { textOf } from './text.ts'

/** Between asking a tool to end and killing it. */
const GRACE_MS = 2_000

/** Runs a program once for each call. */
export function createSpawnExecutor(
  starter: ProcessStarter,
  environment: () => Readonly<Record<string, string>>,
): Executor<'spawn'> {
  return async (run, job) => {
    const { command } = run
    const { name } = job.tool
    const invocation = buildInvocation(job.arguments, job.tool.inputSchema)
    if ('problem' in invocation) return refuse('input', `\`${name}\` was not started: ${invocation.problem}`)

    const timeoutMs = run.timeoutMs ?? job.timeoutMs
    const end = await starter.run({
      file: command.file,
      args: [...command.args, ...invocation.words],
      cwd: command.cwd,
      env: { ...passed(environment(), command.passEnv), ...command.env },
      stdin: invocation.stdin,
      timeoutMs,
      graceMs: GRACE_MS,
      outputBytes: job.outputBytes,
      signal: job.signal,
      ...(command.script !== command.file && { script: command.script }),
    })
    const failure = failureOf(name, end, timeoutMs, job.outputBytes)
    return outcomeOf(end, failure, Buffer.byteLength(invocation.stdin))
  }
}

/** A package gets only the variables it is entitled to. */
function passed(
  environment: Readonly<Record<string, string>>,
  names: readonly string[] | undefined,
): Readonly<Record<string, string>> {
  if (names === undefined) return environment
  return Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name)))
}

type Why = Pick<Failure, 'reason' | 'message'>

function failureOf(name: string, end: ProcessEnd, timeoutMs: number, outputBytes: number): Why | undefined {
  switch (end.cause) {
    case 'exit':
      return end.exitCode === 0 ? undefined : { reason: 'exit', message: `\`${name}\` ${exitWords(end)}` }
    case 'timeout':
      return {
        reason: 'timeout',
        message: `\`${name}\` did not finish within ${durationWords(timeoutMs)} and was ended`,
      }
    case 'abort':
      return { reason: 'cancelled', message: `\`${name}\` was cancelled` }
    case 'limit': {
      const kept = Math.max(end.stdout.length, end.stderr.length)
      return {
        reason: 'limit',
        message: `\`${name}\` printed more than ${sizeWords(outputBytes)} and was ended; the first ${sizeWords(kept)} are kept`,
      }
    }
    case 'spawn': {
      const why = end.problem === undefined ? end.error?.message : spawnProblemWords(end.problem)
      return { reason: 'spawn', message: `\`${name}\` cannot start: ${why}` }
    }
  }
}

function exitWords({ exitCode, signal }: ProcessEnd): string {
  return exitCode === null ? `was ended by ${signal}` : `exited with status ${exitCode}`
}

function outcomeOf(end: ProcessEnd, failure: Why | undefined, stdinBytes: number): Outcome {
  const { exitCode, signal } = end
  const ran = end.cause !== 'spawn' || exitCode !== null
  const cut = end.cause !== 'exit' || exitCode === null
  const streams: Streams = {
    stdout: textOf(end.stdout, cut),
    stderr: textOf(end.stderr, cut),
    exitCode,
    signal,
  }
  const output = ran ? ({ kind: 'streams', ...streams } as const) : ({ kind: 'none' } as const)
  return {
    result: failure === undefined ? { ok: true, output } : { ok: false, ...failure, output },
    exitCode,
    bytesIn: ran ? stdinBytes : 0,
    bytesOut: end.stdout.length + end.stderr.length,
  }
}
