import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createMarkers, type Markers } from '../marker.ts'
import { createEnvironments, type Environments } from './environments.ts'
import { createFrameReader } from './frame-reader.ts'
import { createFrameWriter, type FrameWriter } from './frame-writer.ts'
import { CALLS_MAX, FROM, PROTOCOL } from './protocol.ts'

/** One running launcher. */
export interface Connection {
  /** False from the moment it is known to be gone. */
  readonly alive: boolean
  readonly markers: Markers
  /** The process that holds the descriptors of programs that stay; 0 before it spoke. */
  readonly pid: number
  readonly writer: FrameWriter
  readonly environments: Environments
  send(frame: Buffer): void
  /** A free number for a call, and who hears of it. Undefined when all are taken. */
  add(listener: CallListener): number | undefined
  remove(id: number): void
  close(): Promise<void>
}

export interface CallListener {
  onFrame(kind: number, payload: Buffer): void
  /** The launcher is gone, and with it everything it had started. No frame follows. */
  onLost(loss: Loss): void
}

export interface Loss {
  /** False when it never spoke: nothing was started, and another one would do no better. */
  readonly served: boolean
  readonly message: string
}

/** What the launcher says of itself. */
export interface LauncherInfo {
  /** Version of Landlock the kernel has; 0 when none. */
  readonly landlock: number
}

export interface ConnectionDeps {
  readonly path: string
  readonly onHello: (info: LauncherInfo) => void
  /** Called at once when it is gone; what it returns is awaited before the calls are told. */
  readonly onLost: (loss: Loss, markers: Markers) => Promise<void>
}

/** One that has not spoken by then never will. */
const HELLO_MS = 10_000
/** Without its server it ends everything, which takes it a moment, or five seconds where the kernel resists. */
const LEAVE_MS = 6_000

/** Throws what `spawn` throws at once; later failures are losses. */
export function connect({ path, onHello, onLost }: ConnectionDeps): Connection {
  // A session of its own, so that Ctrl-C does not reach it; an environment of its own, so that no search finds it.
  const child = spawn(path, [], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const ended = endOf(child)
  // A descriptor above 2 is a Socket both ways, and missing when there was none left to give.
  const socket = child.stdio?.[3] as Socket | undefined
  if (socket === undefined) throw new Error('no descriptors are left to start the launcher with')
  const listeners = new Map<number, CallListener>()
  const free: number[] = []
  let used = 0
  let pid = 0
  let alive = true
  let closing = false
  const markers = createMarkers()
  const said = keepLast(child)
  const writer = createFrameWriter()

  const read = createFrameReader((kind, id, payload) => {
    if (kind !== FROM.HELLO) return listeners.get(id)?.onFrame(kind, payload)
    clearTimeout(silence)
    if (payload.readUInt32LE(0) !== PROTOCOL) return socket.destroy()
    pid = payload.readUInt32LE(4)
    onHello({ landlock: payload.readUInt32LE(8) })
  })
  const silence = setTimeout(() => child.kill('SIGKILL'), HELLO_MS).unref()
  socket.on('data', read)
  socket.on('error', () => {})
  socket.on('close', () => {
    alive = false
    void lose()
  })

  async function lose(): Promise<void> {
    clearTimeout(silence)
    const patience = setTimeout(() => child.kill('SIGKILL'), LEAVE_MS)
    const how = await ended
    clearTimeout(patience)
    const loss: Loss = { served: pid !== 0, message: said() || how }
    if (!closing) await onLost(loss, markers)
    for (const listener of listeners.values()) listener.onLost(loss)
  }

  child.unref()
  socket.unref()

  const send = (frame: Buffer) => {
    socket.write(frame)
  }
  return {
    get alive() {
      return alive
    },
    get pid() {
      return pid
    },
    markers,
    writer,
    environments: createEnvironments(writer, send),
    send,
    add(listener) {
      const id = free.pop() ?? used
      if (id >= CALLS_MAX) return undefined
      if (id === used) used++
      if (listeners.size === 0) socket.ref()
      listeners.set(id, listener)
      return id
    },
    remove(id) {
      listeners.delete(id)
      free.push(id)
      if (listeners.size === 0) socket.unref()
    },
    async close() {
      closing = true
      child.ref()
      socket.destroy()
      await ended
    },
  }
}

/** How it ended, in words. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    child.once('error', (error) => settle(error.message))
    child.once('exit', (status, signal) =>
      settle(signal === null ? `exit status ${status}` : `ended by ${signal}`),
    )
  })
}

/** The last thing it said on standard error. */
function keepLast(child: ChildProcess): () => string {
  let text = ''
  // As above: a Socket.
  const stream = child.stderr as Socket
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-2000)
  })
  stream.on('error', () => {})
  stream.unref()
  return () => text.trim()
}
