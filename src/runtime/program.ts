import type { FindSecret } from '../formats/index.ts'
import type { Command, Streams } from '../model/index.ts'
import type { ProcessEnd, ProcessStarter } from '../platform/index.ts'
import type { Confine, Hold } from './confine.ts'
import { environmentOf, secretsFor } from './environment.ts'
import { type Failure, type Job, type Outcome, refuse } from './executor.ts'
import { exitWords } from './exit-words.ts'
import { redact } from './implementations/redact.ts'
import { limitWords } from './limit-words.ts'
import { durationWords, sizeWords } from './measure-words.ts'
import { spawnProblemWords } from './spawn-problem-words.ts'
import { textOf } from './text.ts'

/** Runs a program once. */
export type RunProgram = (command: Command, invocation: Invocation, job: Job) => Promise<Outcome>

interface Invocation {
  /** Behind the command's own. */
  readonly words: readonly string[]
  readonly stdin: string
  readonly timeoutMs: number
}

/** Between asking a tool to end and killing it. */
const GRACE_MS = 2_000

export function createProgramRunner(
  starter: ProcessStarter,
  environment: () => Readonly<Record<string, string>>,
  secret: FindSecret = () => undefined,
  confine: Confine = () => undefined,
): RunProgram {
  return async (command, { words, stdin, timeoutMs }, { tool, arguments: input, outputBytes, signal }) => {
    const hold = confine(tool, input)
    const denied = hold && (await hold.denied())
    if (denied !== undefined) return refuse('denied', `\`${tool.name}\` ${denied}`)
    const secrets = secretsFor(command, secret)
    const end = await (hold?.starter ?? starter).run({
      file: command.file,
      args: [...command.args, ...words],
      cwd: command.cwd,
      env: environmentOf(command, environment(), secrets),
      stdin,
      timeoutMs,
      graceMs: GRACE_MS,
      outputBytes,
      signal,
      ...(command.script !== command.file && { script: command.script }),
    })
    const failure = failureOf(tool.name, end, timeoutMs, outputBytes, hold)
    const confinement = hold?.confinement()
    const outcome = redact(outcomeOf(end, failure, Buffer.byteLength(stdin)), Object.values(secrets))
    return confinement === undefined ? outcome : { ...outcome, confinement }
  }
}

type Why = Pick<Failure, 'reason' | 'message'>

function failureOf(
  name: string,
  end: ProcessEnd,
  timeoutMs: number,
  outputBytes: number,
  hold: Hold | undefined,
): Why | undefined {
  const broken = hold && end.cause === 'exit' ? limitWords(end, hold.limits) : undefined
  if (broken !== undefined) return { reason: 'limit', message: `\`${name}\` ${broken}` }
  switch (end.cause) {
    case 'exit':
      // It did not end by itself: what ran it is gone, and whether it had done its work is not known.
      if (end.error !== undefined)
        return { reason: 'crashed', message: `\`${name}\` was lost: ${end.error.message}; call it again` }
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
      if (end.problem?.kind === 'denied')
        return { reason: 'denied', message: `\`${name}\` was not started: ${end.problem.message}` }
      const why = end.problem === undefined ? end.error?.message : spawnProblemWords(end.problem)
      return { reason: 'spawn', message: `\`${name}\` cannot start: ${why}` }
    }
  }
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
    ...(end.usage && { usage: end.usage }),
  }
}
