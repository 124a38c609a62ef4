import type { Readable, Writable } from 'node:stream'
import { isJsonObject, type Json } from '../model/index.ts'
import { createLineReader } from './edge/line-reader.ts'
import { createLineWriter, type LineWriter } from './edge/line-writer.ts'
import type { Pending } from './pending.ts'

/** Who does not read its answers is not asked what else it wants. */
const UNREAD_BYTES = 32 * 1024 * 1024

/** The two pipes of a stdio client: read and written here alone, whoever the messages are for and from. */
export interface StdioPipe {
  readonly writer: LineWriter
  /** The client sends nothing more, but may still read: all it sent has been handed on. */
  readonly inputEnded: Promise<void>
  /** The client vanished, or the pipe was closed. */
  readonly ended: Promise<void>
  close(): void
}

export interface StdioPipeParts {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly messageBytes: number
  readonly ready?: Promise<void>
  /** What waits for the catalog is to be answered too. */
  readonly pending: Pending
  readonly onMessage: (message: Json) => void
  readonly onError: (error: unknown) => void
}

/** Messages come from the next turn on. */
export function createStdioPipe(parts: StdioPipeParts): StdioPipe {
  const { stdin, stdout, onError } = parts
  const reader = createLineReader(parts.messageBytes)
  const writer = createLineWriter(stdout, () => {
    if (!closed) stdin.resume()
  })
  let closed = false
  let isReady = parts.ready === undefined
  /** What waits for the catalog, and all that came after it. */
  let waiting: string[] | undefined
  void parts.ready?.then(goOn)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let isOver = false
  let endInput = () => {}
  const inputEnded = new Promise<void>((resolve) => {
    endInput = resolve
  })

  // A stream that is over says nothing any more.
  if (stdin.readableEnded) setImmediate(onEnd)
  else if (stdin.destroyed) setImmediate(close)
  stdin.on('data', onData)
  stdin.on('error', onError)
  stdin.on('end', onEnd)
  stdin.on('close', onClose)
  stdout.on('error', onWriteError)

  function onData(chunk: Buffer): void {
    try {
      reader.push(chunk, onLine)
    } catch (error) {
      onError(error)
      close()
    }
    if (waiting !== undefined || writer.waiting > UNREAD_BYTES) stdin.pause()
  }

  function onLine(line: string): void {
    if (closed) return
    if (waiting !== undefined) return void waiting.push(line)
    const message = parsed(line)
    if (message === undefined) return
    if (!isReady && !isGreeting(message)) {
      waiting = [line]
      parts.pending.begin()
      return
    }
    try {
      parts.onMessage(message)
    } catch (error) {
      onError(error)
    }
  }

  function goOn(): void {
    isReady = true
    if (waiting !== undefined) {
      const lines = waiting
      waiting = undefined
      for (const line of lines) onLine(line)
      parts.pending.end()
    }
    if (!closed) stdin.resume()
  }

  /** Closing its end is how a client says that this is all. A message is one without a line break behind it, too. */
  function onEnd(): void {
    if (closed || isOver) return
    isOver = true
    reader.finish(onLine)
    endInput()
  }

  /** Streams close after their end by themselves; before it, somebody is gone. */
  function onClose(): void {
    if (!isOver) close()
  }

  // It goes on listening after the end: a late failure to write must not be an uncaught exception.
  function onWriteError(error: Error): void {
    if (closed) return
    onError(error)
    close()
  }

  function close(): void {
    if (closed) return
    closed = true
    stdin.off('data', onData)
    stdin.off('error', onError)
    stdin.off('end', onEnd)
    stdin.off('close', onClose)
    stdin.pause()
    reader.clear()
    writer.letGo()
    end()
  }

  return { writer, inputEnded, ended, close }
}

const GREETINGS = new Set(['initialize', 'notifications/initialized', 'server/discover', 'ping'])

/** What can be answered without knowing any tool. */
function isGreeting(message: Json): boolean {
  return isJsonObject(message) && typeof message.method === 'string' && GREETINGS.has(message.method)
}

/** Lines that are not JSON are passed over, as the SDK does it. */
function parsed(line: string): Json | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
