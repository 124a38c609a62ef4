import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { OpenFailure, OpenRequest } from '../process/starter.ts'
import type { Program } from './bwrap.ts'
import type { SandboxedStarter, SandboxWish } from './starter.ts'

interface Streams {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
}

/**
 * Runs a program with the terminal of whoever asks, held to its profile. Where the launcher holds it, it gets pipes
 * instead. Resolves to its exit status.
 */
export async function runOnTerminal(
  starter: SandboxedStarter,
  request: OpenRequest & SandboxWish,
  streams: Streams,
): Promise<number> {
  const wrapped = await starter.wrap({ ...request, terminal: true })
  if ('problem' in wrapped) {
    return wrapped.problem.kind === 'denied'
      ? runOnPipes(starter, request, streams)
      : notStarted(wrapped, streams)
  }
  try {
    return await spawnHere(wrapped.program)
  } finally {
    await wrapped.close()
  }
}

/** What a shell says of a program that is not there. */
const NOT_FOUND = 127

function notStarted({ error, problem }: OpenFailure, { stderr }: Streams): number {
  stderr.write(`${'path' in problem ? `${problem.path}: not found` : error.message}\n`)
  return NOT_FOUND
}

async function spawnHere({ file, args, cwd, env }: Program): Promise<number> {
  const child = spawn(file, args, { cwd, env, stdio: 'inherit' })
  const [status, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return statusOf(status, signal)
}

async function runOnPipes(
  starter: SandboxedStarter,
  request: OpenRequest & SandboxWish,
  streams: Streams,
): Promise<number> {
  const opened = await starter.open(request)
  if ('problem' in opened) return notStarted(opened, streams)
  streams.stdin.pipe(opened.stdin)
  opened.stdout.pipe(streams.stdout, { end: false })
  opened.stderr.pipe(streams.stderr, { end: false })
  const { exitCode, signal } = await opened.exited
  streams.stdin.unpipe(opened.stdin)
  streams.stdin.pause()
  return statusOf(exitCode, signal)
}

function statusOf(status: number | null, signal: string | null): number {
  if (status !== null) return status
  const number = signal === null ? 0 : (constants.signals as Readonly<Record<string, number>>)[signal]
  return 128 + (number ?? 0)
}
