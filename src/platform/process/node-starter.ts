import { setMaxListeners } from 'node:events'
import { createDescendants } from './descendants.ts'
import { createGuardian } from './guardian.ts'
import { createMarkers } from './marker.ts'
import { openProcess } from './open.ts'
import { runProcess } from './run.ts'
import type {
  OpenFailure,
  OpenProcess,
  OpenRequest,
  ProcessEnd,
  ProcessRequest,
  ProcessStarter,
} from './starter.ts'
import { createStreamStore } from './stream-files.ts'

/** What to do without although the host has it: a test sees another host that way. */
export interface NodeStarterOptions {
  readonly procfs?: boolean
  readonly fifos?: boolean
}

/** Starts programs with `node:child_process`. The guardian comes with the first one. */
export function createNodeStarter(options: NodeStarterOptions = {}): ProcessStarter {
  const descendants = options.procfs === false ? undefined : createDescendants()
  const markers = createMarkers()
  const streams = options.fifos === false ? undefined : createStreamStore(markers.server)
  const guardian = createGuardian(markers.token, descendants !== undefined)
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const running = new Set<Promise<ProcessEnd>>()
  const open = new Set<OpenProcess>()
  const newContext = () => ({
    marker: markers.next(),
    guardian,
    streams,
    descendants,
    closing: closing.signal,
  })

  async function run(request: ProcessRequest): Promise<ProcessEnd> {
    const promise = runProcess(request, newContext())
    running.add(promise)
    try {
      return await promise
    } finally {
      running.delete(promise)
    }
  }

  async function start(request: OpenRequest): Promise<OpenProcess | OpenFailure> {
    const opened = await openProcess(request, newContext())
    if ('problem' in opened) return opened
    open.add(opened)
    void opened.exited.then(() => open.delete(opened))
    // It may have begun while the starter closed: nobody else would end it.
    if (closing.signal.aborted) await opened.end()
    return opened
  }

  async function close(graceMs?: number): Promise<void> {
    closing.abort(graceMs)
    await Promise.all([...running, ...Array.from(open, (process) => process.end(graceMs))])
    await Promise.all([guardian.close(), streams?.close()])
  }
  return { run, open: start, close }
}
