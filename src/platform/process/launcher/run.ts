import { createOutput } from '../output.ts'
import type { ProcessEnd, ProcessRequest } from '../starter.ts'
import { graceOf } from '../watch-end.ts'
import type { Connection, Loss } from './connection.ts'
import { noRoom, notSpawned, type ProgramEnd, readEnd, readFailure, unlessNotSpawned } from './ends.ts'
import { numbersFrame } from './frame-writer.ts'
import { FROM, HEADER, INPUT_WINDOW, KILL_HANG_UP, START_FLAGS, TO } from './protocol.ts'
import type { ProcessSetup } from './setup.ts'
import { writeStart } from './start-frame.ts'

export interface RunContext {
  readonly connection: Connection
  /** The starter itself closes. */
  readonly closing: AbortSignal
}

export interface RunRequest extends ProcessRequest {
  readonly setup?: ProcessSetup
}

type Cause = 'exit' | 'timeout' | 'abort' | 'limit'

/** One program from start to end. `unserved`: the launcher itself could not start, and nothing else was. */
export function runProgram(
  request: RunRequest,
  { connection, closing }: RunContext,
): Promise<ProcessEnd | 'unserved'> {
  const { stdin, signal, graceMs, timeoutMs } = request
  return new Promise((settle) => {
    const input = typeof stdin === 'string' ? Buffer.from(stdin) : stdin
    const output = createOutput(request.outputBytes)
    let cause: Cause | undefined
    let timer: NodeJS.Timeout | undefined

    const added = connection.add({ onFrame, onLost })
    if (added === undefined) return settle(notSpawned(request, noRoom()))
    const id = added
    const sender = createInputSender(connection, id, input)
    try {
      connection.send(
        writeStart(connection.writer, id, {
          request,
          setup: request.setup,
          flags: input.length > INPUT_WINDOW ? START_FLAGS.MORE_INPUT : 0,
          environment: connection.environments.numberOf(request.env),
          marker: connection.markers.next(),
          input: input.length > INPUT_WINDOW ? input.subarray(0, INPUT_WINDOW) : input,
        }),
      )
    } catch (error) {
      // The writer throws system errors only.
      return finish(notSpawned(request, error as NodeJS.ErrnoException))
    }
    signal.addEventListener('abort', abort)
    closing.addEventListener('abort', abort)
    // A blocked event loop sees the timer before an exit that came earlier: that one gets a turn to be heard.
    if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS)
      timer = setTimeout(() => setImmediate(() => end('timeout')), timeoutMs)

    function abort(): void {
      end('abort')
    }

    /** The first cause stays; any but the exit must be brought about. */
    function end(winner: Cause): void {
      if (cause !== undefined) return
      cause = winner
      if (winner === 'exit') return
      const flags = winner === 'limit' ? KILL_HANG_UP : 0
      const grace = Math.min(Math.ceil(graceOf(graceMs, closing)), LONGEST_TIMER_MS)
      connection.send(numbersFrame(TO.KILL, id, grace, flags))
    }

    function onFrame(kind: number, payload: Buffer): void {
      switch (kind) {
        case FROM.STDOUT:
        case FROM.STDERR:
          if (!output.add(kind === FROM.STDOUT ? 0 : 1, payload)) end('limit')
          break
        case FROM.INPUT_ROOM:
          sender.room(payload.readUInt32LE(0))
          break
        case FROM.FAILED:
          finish(notSpawned(request, readFailure(request, payload)))
          break
        case FROM.GONE:
          end('exit')
          break
        case FROM.EXIT:
          end('exit')
          finish(unlessNotSpawned(request, endWith(readEnd(payload))))
          break
      }
    }

    function onLost(loss: Loss): void {
      const unserved = !loss.served && cause === undefined
      end('exit')
      finish(unserved ? 'unserved' : { ...endWith(KILLED), error: lossError(loss) })
    }

    function endWith(program: Omit<ProgramEnd, 'usage'>): ProcessEnd {
      return { cause: cause ?? 'exit', ...program, ...output.take() }
    }

    function finish(result: ProcessEnd | 'unserved'): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      closing.removeEventListener('abort', abort)
      connection.remove(id)
      settle(result)
    }
  })
}

export function lossError({ message }: Loss): Error {
  return new Error(`the launcher of tools ended: ${message}`)
}

/** What became of a program whose launcher is gone: the kernel ended it in that moment. */
export const KILLED = { exitCode: null, signal: 'SIGKILL' } as const

/** Beyond this (24 days) a Node timer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What did not fit into the first frame follows as the program reads. */
function createInputSender(connection: Connection, id: number, input: Uint8Array) {
  let sent = Math.min(input.length, INPUT_WINDOW)
  return {
    room(bytes: number): void {
      const chunk = input.subarray(sent, sent + bytes)
      if (chunk.length === 0) return
      sent += chunk.length
      const header = Buffer.allocUnsafe(HEADER)
      header.writeUInt32LE(HEADER - 4 + chunk.length, 0)
      header[4] = sent === input.length ? TO.INPUT_END : TO.INPUT
      header.writeUInt32LE(id, 5)
      connection.send(Buffer.concat([header, chunk]))
    },
  }
}
