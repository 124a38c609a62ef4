import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { readPipe } from '../../read-pipe.ts'
import { drainStreams } from '../drain.ts'
import { diagnoseStatus127 } from '../spawn-problem.ts'
import type { OpenEnd, OpenFailure, OpenProcess, OpenRequest } from '../starter.ts'
import type { Connection, Loss } from './connection.ts'
import { explain, noRoom, readEnd, readFailure } from './ends.ts'
import { numbersFrame } from './frame-writer.ts'
import { FROM, START_FLAGS, TO } from './protocol.ts'
import { KILLED, lossError } from './run.ts'
import type { ProcessSetup } from './setup.ts'
import { writeStart } from './start-frame.ts'

export interface TalkRequest extends OpenRequest {
  readonly setup?: ProcessSetup
}

/** A program that sees its input end may leave by itself: for this part of the grace, and no longer than that. */
const LEAVE_PART = 1 / 4
const LONGEST_LEAVE_MS = 500

/**
 * One program that stays. Node cannot be handed a descriptor, but it can open one that another process holds: the
 * streams are the ends of the program's own pipes, and the launcher takes no part in the conversation.
 */
export function openProgram(
  request: TalkRequest,
  connection: Connection,
): Promise<OpenProcess | OpenFailure | 'unserved'> {
  return new Promise((settle) => {
    let onGone: (end: OpenEnd) => void = () => {}
    let onExit: () => void = () => {}
    const gone = new Promise<OpenEnd>((resolve) => {
      onGone = resolve
    })
    const swept = new Promise<void>((resolve) => {
      onExit = resolve
    })
    const added = connection.add({ onFrame, onLost })
    if (added === undefined) return settle(explain(request, noRoom()))
    const id = added
    try {
      connection.send(
        writeStart(connection.writer, id, {
          request,
          setup: request.setup,
          flags: START_FLAGS.DIRECT,
          environment: connection.environments.numberOf(request.env),
          marker: connection.markers.next(),
          input: Buffer.alloc(0),
        }),
      )
    } catch (error) {
      // The writer throws system errors only.
      refuse(explain(request, error as NodeJS.ErrnoException))
    }

    function onFrame(kind: number, payload: Buffer): void {
      switch (kind) {
        case FROM.FAILED:
          refuse(explain(request, readFailure(request, payload)))
          break
        case FROM.STARTED:
          take(payload)
          break
        case FROM.GONE:
          onGone(endOf(request, payload))
          break
        case FROM.EXIT:
          onGone(endOf(request, payload))
          connection.remove(id)
          onExit()
          break
      }
    }

    function onLost(loss: Loss): void {
      const error = lossError(loss)
      onGone(KILLED)
      onExit()
      // Once it is open this is too late to matter.
      refuse(loss.served ? { error, problem: { kind: 'other', message: error.message } } : 'unserved')
    }

    function refuse(failure: OpenFailure | 'unserved'): void {
      connection.remove(id)
      settle(failure)
    }

    function take(payload: Buffer): void {
      const streams = openStreams(connection.pid, payload)
      connection.send(numbersFrame(TO.TAKEN, id))
      const kill = (graceMs: number) => {
        connection.send(numbersFrame(TO.KILL, id, Math.ceil(graceMs), 0))
      }
      if (streams instanceof Error) {
        kill(0)
        void swept.then(() => settle(explain(request, streams)))
      } else {
        const pid = payload.readUInt32LE(0)
        settle(createOpenProcess(request, { pid, streams, gone, swept, kill }))
      }
    }
  })
}

interface Streams {
  readonly stdin: Socket
  readonly stdout: Socket
  readonly stderr: Socket
}

function openStreams(launcher: number, payload: Buffer): Streams | NodeJS.ErrnoException {
  const opened: number[] = []
  const open = (offset: number, flags: number): number => {
    const path = `/proc/${launcher}/fd/${payload.readUInt32LE(offset)}`
    const descriptor = openSync(path, flags | constants.O_NONBLOCK)
    opened.push(descriptor)
    return descriptor
  }
  try {
    const [stdin, stdout, stderr] = [
      open(4, constants.O_WRONLY),
      open(8, constants.O_RDONLY),
      open(12, constants.O_RDONLY),
    ]
    return { stdin: writeTo(stdin), stdout: readPipe(stdout), stderr: readPipe(stderr) }
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor)
    return error as NodeJS.ErrnoException
  }
}

function writeTo(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: true })
}

interface Opened {
  readonly pid: number
  readonly streams: Streams
  readonly gone: Promise<OpenEnd>
  /** Nothing it started is left. */
  readonly swept: Promise<void>
  readonly kill: (graceMs: number) => void
}

function createOpenProcess(request: OpenRequest, { pid, streams, gone, swept, kill }: Opened): OpenProcess {
  const { stdin, stdout, stderr } = streams
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {})
  let isGone = false
  let leaving: Promise<void> | undefined
  void gone.then(() => {
    isGone = true
  })

  async function leave(graceMs: number, leaveMs: number): Promise<void> {
    stdin.end()
    const over = new AbortController()
    await Promise.race([gone, pause(leaveMs, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
    if (!isGone) kill(Math.min(graceMs, LONGEST_GRACE_MS))
  }

  const exited = swept.then(async () => {
    await drainStreams([stdout, stderr], () => stdout.bytesRead + stderr.bytesRead)
    stdin.destroy()
    return gone
  })
  return {
    pid,
    stdin,
    stdout,
    stderr,
    gone,
    exited,
    async end(graceMs = request.graceMs, leaveMs = Math.min(graceMs * LEAVE_PART, LONGEST_LEAVE_MS)) {
      leaving ??= leave(graceMs, leaveMs)
      await leaving
      await exited
    },
  }
}

const LONGEST_GRACE_MS = 2 ** 31 - 1

function endOf(request: OpenRequest, payload: Buffer): OpenEnd {
  const { exitCode, signal } = readEnd(payload)
  const problem = exitCode === 127 ? diagnoseStatus127(request) : undefined
  return { exitCode, signal, ...(problem && { problem }) }
}
