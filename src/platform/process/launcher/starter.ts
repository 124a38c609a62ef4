import { setMaxListeners } from 'node:events'
import { createDescendants } from '../descendants.ts'
import type { Markers } from '../marker.ts'
import { createNodeStarter } from '../node-starter.ts'
import type { OpenFailure, OpenProcess, ProcessEnd, ProcessStarter } from '../starter.ts'
import { type Connection, connect, type LauncherInfo, type Loss } from './connection.ts'
import { endMarked } from './end-marked.ts'
import { explain, missingScript, NOT_STARTED, notSpawned } from './ends.ts'
import { openProgram, type TalkRequest } from './open.ts'
import { type RunRequest, runProgram } from './run.ts'

/** Takes more than the others: a setup that is applied to the program before it runs. */
export interface LauncherStarter extends ProcessStarter {
  /** The launcher itself. */
  readonly path: string
  run(request: RunRequest): Promise<ProcessEnd>
  open(request: TalkRequest): Promise<OpenProcess | OpenFailure>
}

export interface LauncherStarterOptions {
  /** The program built from `native/`. */
  readonly path: string
  /** Told when it is there, with what it found on this host. */
  onReady?(info: LauncherInfo): void
  /** Told in words when it is lost, or could not start; then programs are started with Node from there on. */
  onProblem?(message: string): void
}

/**
 * Starts programs with the launcher, which comes with the first one and is replaced when it dies. What ran then was
 * ended by the kernel and answers so: signal `SIGKILL`, with an `error` that names the launcher. A launcher that
 * cannot start at all is done without; only a request with a `setup` is then refused, as nobody could heed it.
 */
export function createLauncherStarter(options: LauncherStarterOptions): LauncherStarter {
  const descendants = createDescendants()
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<unknown>>()
  const open = new Set<OpenProcess>()
  let connection: Connection | undefined
  let plain: ProcessStarter | undefined

  function withNode(): ProcessStarter {
    plain ??= createNodeStarter()
    return plain
  }

  /** Undefined when there is no launcher to be had. */
  function connected(): Connection | undefined {
    if (plain !== undefined) return undefined
    if (connection?.alive) return connection
    try {
      connection = connect({ path: options.path, onHello: (info) => options.onReady?.(info), onLost })
      return connection
    } catch (error) {
      withNode()
      options.onProblem?.(String(error))
      return undefined
    }
  }

  async function onLost({ served, message }: Loss, { token }: Markers): Promise<void> {
    if (!served) withNode()
    options.onProblem?.(message)
    if (served && descendants !== undefined) await endMarked(descendants, token)
  }

  async function run(request: RunRequest): Promise<ProcessEnd> {
    if (request.signal.aborted || closing.signal.aborted) return NOT_STARTED
    const missing = missingScript(request)
    if (missing !== undefined) return notSpawned(request, missing)
    const connection = connected()
    if (connection !== undefined) {
      const end = await tracked(runProgram(request, { connection, closing: closing.signal }))
      if (end !== 'unserved') return end
    }
    if (request.setup !== undefined) return notSpawned(request, unheeded())
    return withNode().run(request)
  }

  async function start(request: TalkRequest): Promise<OpenProcess | OpenFailure> {
    if (closing.signal.aborted) return CLOSED
    const missing = missingScript(request)
    if (missing !== undefined) return explain(request, missing)
    const connection = connected()
    if (connection !== undefined) {
      const opened = await tracked(openProgram(request, connection))
      if (opened !== 'unserved') return keep(opened)
    }
    if (request.setup !== undefined) return explain(request, unheeded())
    return withNode().open(request)
  }

  async function keep(opened: OpenProcess | OpenFailure): Promise<OpenProcess | OpenFailure> {
    if ('problem' in opened) return opened
    open.add(opened)
    void opened.exited.then(() => open.delete(opened))
    // It may have begun while the starter closed: nobody else would end it.
    if (closing.signal.aborted) await opened.end()
    return opened
  }

  async function tracked<T>(promise: Promise<T>): Promise<T> {
    running.add(promise)
    try {
      return await promise
    } finally {
      running.delete(promise)
    }
  }

  async function close(graceMs?: number): Promise<void> {
    closing.abort(graceMs)
    await Promise.all([...running, ...Array.from(open, (process) => process.end(graceMs))])
    await Promise.all([connection?.close(), plain?.close(graceMs)])
  }
  return { path: options.path, run, open: start, close }
}

function unheeded(): NodeJS.ErrnoException {
  return Object.assign(new Error('the launcher that limits and confines tools could not be started'), {
    syscall: 'confine',
  })
}

const CLOSED: OpenFailure = {
  error: new Error('the starter is closed'),
  problem: { kind: 'other', message: 'Orla is about to end' },
}
