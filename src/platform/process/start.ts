import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { FifoStore } from './fifo-store.ts'
import type { Guardian } from './guardian.ts'
import { markedEnvironment } from './marker.ts'
import { closeFar, destroyPipes, openPipes, type Pipes } from './pipes.ts'
import type { ProcessRequest } from './starter.ts'

/** A running program and our ends of its streams. */
export interface Program {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
}

export interface StartContext {
  readonly marker: string
  readonly guardian: Guardian
  readonly fifos: FifoStore | undefined
}

/** The error is a value, whether the system reports it at once or a moment later. */
export function startProgram(
  request: ProcessRequest,
  context: StartContext,
): Program | Promise<NodeJS.ErrnoException> {
  const { cwd, env, script } = request
  if (script !== undefined && !existsSync(resolve(cwd, script))) return Promise.resolve(noSuchFile(script))
  let pipes: Pipes | undefined
  try {
    const names = context.fifos?.take(env.PATH)
    context.guardian.watch(env.PATH, context.fifos?.folder())
    pipes = names && openPipes(names)
    return asProgram(spawnWith(request, context.marker, pipes), pipes, context.guardian)
  } catch (error) {
    if (pipes !== undefined) destroyPipes(pipes)
    return Promise.resolve(error as NodeJS.ErrnoException)
  }
}

function spawnWith(
  { file, args, cwd, env }: ProcessRequest,
  marker: string,
  pipes: Pipes | undefined,
): ChildProcess {
  try {
    // A session of its own: one signal reaches the group, and Ctrl-C in the terminal does not.
    const options = { cwd, env: markedEnvironment(env, marker), detached: true }
    return spawn(file, args, { ...options, stdio: pipes === undefined ? 'pipe' : [...pipes.far] })
  } finally {
    if (pipes !== undefined) closeFar(pipes)
  }
}

function asProgram(
  child: ChildProcess,
  pipes: Pipes | undefined,
  guardian: Guardian,
): Program | Promise<NodeJS.ErrnoException> {
  const { pid } = child
  const { stdin, stdout, stderr } = pipes ?? child
  if (pid !== undefined && stdin !== null && stdout !== null && stderr !== null) {
    guardian.add(pid)
    return { child, pid, stdin, stdout, stderr }
  }
  if (pipes !== undefined) destroyPipes(pipes)
  return new Promise((settle) => child.once('error', settle))
}

function noSuchFile(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT', path })
}
