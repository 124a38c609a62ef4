import type { Outlet } from '../outlet.ts'
import { sendText, taken } from '../web.ts'
import type { Message } from './message.ts'
import type { Pulse } from './pulse.ts'

/** The response to one hot request: JSON, or events once something has to be said before the answer. */
export interface HttpReply {
  /** The answer, and the end. */
  send(message: Message): void
  /** Something before the answer. */
  note(text: string): void
  /** The end without an answer: nobody waits for it any more. */
  abandon(): void
  /** The answer may take long: nobody on the way shall take the silence for a dead connection. */
  keepAlive(): void
}

export interface HttpReplyParts {
  readonly res: Outlet
  readonly stallMs: number
  readonly pulse: Pulse
  /** Headers besides those that say what it is: names and values alternating. */
  readonly head: () => readonly string[]
}

const EVENTS = [
  'Content-Type',
  'text/event-stream',
  'Cache-Control',
  'no-cache, no-transform',
  'X-Accel-Buffering',
  'no',
]

export function createHttpReply({ res, stallMs, pulse, head }: HttpReplyParts): HttpReply {
  let streams = false

  function becomeStream(): void {
    if (streams) return
    streams = true
    res.writeHead(200, [...head(), ...EVENTS])
    res.flushHeaders()
  }

  function isOver(): boolean {
    return res.destroyed || res.writableEnded
  }

  function event(text: string): string {
    return `event: message\ndata: ${text}\n\n`
  }

  function write(text: string): void {
    // Who does not keep up misses some of it, and who takes nothing at all is cut.
    if (isOver() || res.writableNeedDrain) return
    becomeStream()
    if (!res.write(text)) void taken(res, 'drain', stallMs)
  }

  const member = { beat: () => write(': keepalive\n\n') }

  return {
    send(message) {
      pulse.leave(member)
      if (isOver()) return
      if (!streams) {
        sendText(message, res, head(), stallMs)
        return
      }
      const text = typeof message === 'string' ? message : message.head.toString() + message.tail
      res.end(event(text))
      void taken(res, 'finish', stallMs)
    },
    note: (text) => write(event(text)),
    abandon() {
      pulse.leave(member)
      if (isOver()) return
      becomeStream()
      res.end()
    },
    keepAlive: () => pulse.join(member),
  }
}
