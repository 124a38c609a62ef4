import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Guardian } from './guardian.ts'
import { markedEnvironment } from './marker.ts'
import type { OpenRequest, ProcessRequest } from './starter.ts'
import type { StreamStore } from './stream-files.ts'
import { closeFar, closeNear, openStreams, type Streams } from './streams.ts'

/** A running program that has got its input, and our ends of its outputs. */
export interface Program {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
}

/** A running program whose three streams are all open. */
export interface Talking {
  readonly child: ChildProcessWithoutNullStreams
  readonly pid: number
}

export interface StartContext {
  readonly marker: string
  readonly guardian: Guardian
  /** Undefined on hosts where Node's own sockets must do. */
  readonly streams: StreamStore | undefined
}

/** A program that stays talks over what Node makes: sockets, which suit a conversation better than files do. */
export function startTalking(
  request: OpenRequest,
  { marker, guardian, streams: store }: StartContext,
): Talking | Promise<NodeJS.ErrnoException> {
  const { file, args, cwd, env, script } = request
  if (script !== undefined && !existsSync(resolve(cwd, script))) return Promise.resolve(noSuchFile(script))
  try {
    guardian.watch(env.PATH, store?.folder)
    const child = spawn(file, args, { cwd, env: markedEnvironment(env, marker), detached: true })
    if (child.pid === undefined) return new Promise((settle) => child.once('error', settle))
    guardian.add(child.pid)
    return { child, pid: child.pid }
  } catch (error) {
    return Promise.resolve(error as NodeJS.ErrnoException)
  }
}

/** The error is a value, whether the system reports it at once or a moment later. */
export function startProgram(
  request: ProcessRequest,
  { marker, guardian, streams: store }: StartContext,
): Program | Promise<NodeJS.ErrnoException> {
  const { cwd, env, script } = request
  if (script !== undefined && !existsSync(resolve(cwd, script))) return Promise.resolve(noSuchFile(script))
  let streams: Streams | undefined
  try {
    guardian.watch(env.PATH, store?.folder)
    streams = store && openIfPossible(store, request)
    const child = spawnWith(request, marker, streams)
    const { stdout, stderr } = streams ?? child
    if (child.pid === undefined || stdout === null || stderr === null) {
      if (streams !== undefined) closeNear(streams)
      return new Promise((settle) => child.once('error', settle))
    }
    guardian.add(child.pid)
    return { child, pid: child.pid, stdout, stderr }
  } catch (error) {
    if (streams !== undefined) closeNear(streams)
    return Promise.resolve(error as NodeJS.ErrnoException)
  }
}

/** Memory for files may be small (a container's often is) or cleared by someone else. Sockets always do. */
function openIfPossible(store: StreamStore, { env, stdin }: ProcessRequest): Streams | undefined {
  const files = store.take(env.PATH)
  if (files === undefined) return undefined
  try {
    return openStreams(files, stdin)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') store.lost()
    if (code === 'ENOENT' || code === 'ENOSPC') return undefined
    throw error
  }
}

function spawnWith(request: ProcessRequest, marker: string, streams: Streams | undefined): ChildProcess {
  const { file, args, cwd, env, stdin } = request
  // A session of its own: one signal reaches the group, and Ctrl-C in the terminal does not.
  const options = { cwd, env: markedEnvironment(env, marker), detached: true }
  if (streams === undefined) {
    const child = spawn(file, args, options)
    // A tool need not read its input, nor keep it open: what cannot be delivered is dropped.
    child.stdin?.on('error', () => {})
    child.stdin?.end(stdin)
    return child
  }
  try {
    return spawn(file, args, { ...options, stdio: [...streams.far] })
  } finally {
    closeFar(streams)
  }
}

function noSuchFile(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`ENOENT: no such file, open '${path}'`), { code: 'ENOENT', path })
}
