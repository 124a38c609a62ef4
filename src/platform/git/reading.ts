import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import type { ProcessEnd } from '../process/starter.ts'
import { gitFailure } from './failure.ts'
import type { GitRequest } from './git.ts'
import { createIntake } from './intake.ts'

/** A git that only reads a repository, and answers as long as it is asked. Failures are those of `Git.run`. */
export interface GitReading {
  ask(questions: string): void
  /** The next line of its answers, without the line break. */
  line(): Promise<string>
  bytes(count: number): Promise<Buffer>
  /** No more questions: what it still says until it ends well. */
  rest(): Promise<Buffer>
  /** No more questions, and nobody listens: it goes away by itself. */
  leave(): void
  /** Kills it; whoever waits for an answer is told that it was interrupted. */
  abort(): void
}

export interface GitCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** For each answer, not for all of them. */
const TIMEOUT_MS = 60_000
const STDERR_BYTES = 64 * 1024

/**
 * Without the guardian that other programs are started under, which takes longer than most reading. None is
 * needed: this git changes nothing and starts nothing, and when this process is killed its input ends and its
 * output has no reader, so it ends too.
 */
export function startReading(command: GitCommand, request: GitRequest): GitReading {
  const child = start(command, request)
  const { stdin } = child
  for (const stream of [stdin, child.stdout, child.stderr]) stream?.on('error', () => {})
  const intake = createIntake(child.stdout ?? Readable.from([]))
  let cause: ProcessEnd['cause'] = 'exit'
  const ended = endOf(child, () => cause)

  function stop(why: 'abort' | 'timeout'): void {
    if (cause === 'exit') cause = why
    child.kill('SIGKILL')
  }

  async function inTime<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => stop('timeout'), TIMEOUT_MS)
    try {
      return await work
    } finally {
      clearTimeout(timer)
    }
  }

  async function orFail<T>(taking: Promise<T | undefined>): Promise<T> {
    const taken = await inTime(taking)
    if (taken === undefined) throw gitFailure(await ended, request)
    return taken
  }

  return {
    ask: (questions) => stdin?.write(questions),
    line: () => orFail(intake.line()),
    bytes: (count) => orFail(intake.bytes(count)),
    async rest() {
      stdin?.end()
      const output = await inTime(intake.rest())
      const end = await ended
      const isNothing = request.mayBeNothing && end.exitCode === 1 && end.stderr.length === 0
      if (end.cause === 'exit' && (end.exitCode === 0 || isNothing)) return output
      throw gitFailure(end, request)
    },
    leave() {
      stdin?.end()
      child.stdout?.destroy()
      child.stderr?.destroy()
      child.unref()
    },
    abort: () => stop('abort'),
  }
}

function start({ file, args, env }: GitCommand, request: GitRequest): ChildProcess {
  try {
    // A session of its own: Ctrl-C reaches only this process, which then says what it was doing.
    return spawn(file, args, { cwd: '/', env, detached: true })
  } catch (error) {
    throw gitFailure({ ...NOTHING, cause: 'spawn', error: error as NodeJS.ErrnoException }, request)
  }
}

const NOTHING = { exitCode: null, signal: null, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) } as const

function endOf(child: ChildProcess, cause: () => ProcessEnd['cause']): Promise<ProcessEnd> {
  let stderr = NOTHING.stderr
  child.stderr?.on('data', (chunk: Buffer) => {
    if (stderr.length < STDERR_BYTES) stderr = Buffer.concat([stderr, chunk])
  })
  return new Promise((settle) => {
    child.once('error', (error) => settle({ ...NOTHING, cause: 'spawn', error }))
    child.once('close', (exitCode, signal) =>
      settle({ ...NOTHING, cause: cause(), exitCode, signal, stderr }),
    )
  })
}
