import type { Writable } from 'node:stream'
import type { Message } from './message.ts'

/** Writes messages as lines, whoever they are from: in order, whole, and all those of one moment at once. */
export interface LineWriter {
  /** `onWritten`: the line has left, or never will. */
  write(message: Message, onWritten?: (error?: Error | null) => void): void
  /** A notification leaves by itself: clients forget whose progress it is when the answer comes in the same breath. */
  note(message: string, onWritten?: (error?: Error | null) => void): void
  /** Bytes, roughly, that nobody has taken yet. */
  readonly waiting: number
  /** The reader is gone: from now on the stream alone says what becomes of a line. */
  letGo(): void
}

type Written = (error?: Error | null) => void

/** `onDrained`: what waited has been taken. */
export function createLineWriter(stream: Writable, onDrained: () => void): LineWriter {
  let lines: (string | Buffer)[] = []
  let callbacks: Written[] = []
  let waiting = 0
  let scheduled = false
  let blocked = false
  let isLetGo = false

  function flush(): void {
    scheduled = false
    if (blocked || lines.length === 0) return
    const chunks = joined(lines)
    const written = callbacks
    lines = []
    callbacks = []
    waiting = 0
    if (chunks.length > 1) stream.cork()
    chunks.forEach((chunk, index) => {
      const isLast = index === chunks.length - 1
      blocked = !stream.write(chunk, isLast ? (error) => tell(written, error) : undefined) && !isLetGo
    })
    if (chunks.length > 1) stream.uncork()
    if (blocked) stream.once('drain', drained)
  }

  function drained(): void {
    blocked = false
    flush()
    if (!blocked) onDrained()
  }

  function write(message: Message, onWritten?: Written): void {
    if (typeof message === 'string') lines.push(`${message}\n`)
    else lines.push(message.head, `${message.tail}\n`)
    waiting += typeof message === 'string' ? message.length : message.head.length
    if (onWritten) callbacks.push(onWritten)
    // Answers that are ready in the same turn leave together; nobody waits longer for it.
    if (!scheduled && !blocked) process.nextTick(flush)
    scheduled = true
  }

  return {
    write,
    note(message, onWritten) {
      write(message, onWritten)
      flush()
    },
    letGo() {
      isLetGo = true
      blocked = false
      flush()
    },
    get waiting() {
      return waiting + stream.writableLength
    },
  }
}

/** More than a pipe takes at once, and far from the longest string there can be. */
const CHUNK_UNITS = 1024 * 1024

/** Neighbouring texts become one chunk; bytes stay what they are. */
function joined(lines: readonly (string | Buffer)[]): readonly (string | Buffer)[] {
  const chunks: (string | Buffer)[] = []
  let text = ''
  for (const line of lines) {
    if (text !== '' && (typeof line !== 'string' || text.length > CHUNK_UNITS)) {
      chunks.push(text)
      text = ''
    }
    if (typeof line === 'string') text += line
    else chunks.push(line)
  }
  if (text !== '') chunks.push(text)
  return chunks
}

function tell(callbacks: readonly Written[], error?: Error | null): void {
  for (const callback of callbacks) callback(error)
}
