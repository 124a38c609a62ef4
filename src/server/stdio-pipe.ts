import type { Readable, Writable } from 'node:stream'
import { isJsonObject, type Json, TOO_DEEP } from '../model/index.ts'
import type { Readiness } from './contract.ts'
import { errorAnswer } from './edge/answers.ts'
import { createLineReader } from './edge/line-reader.ts'
import { createLineWriter, type LineWriter } from './edge/line-writer.ts'
import { isId } from './edge/message-shape.ts'
import { createEntrance } from './entrance.ts'
import type { Pending } from './pending.ts'
import { RPC, RpcError } from './rpc-error.ts'

/** Who does not read its answers is not asked what else it wants. */
const UNREAD_BYTES = 32 * 1024 * 1024

/** The two pipes of a stdio client: read and written here alone, whoever the messages are for and from. */
export interface StdioPipe {
  readonly writer: LineWriter
  /** The client has a list of tools, waits for something else, or sends nothing more. */
  readonly looked: Promise<void>
  /** The client sends nothing more, but may still read: all it sent has been handed on, or waits to be. */
  readonly inputEnded: Promise<void>
  /** The client vanished, or the pipe was closed. */
  readonly ended: Promise<void>
  close(): void
}

export interface StdioPipeParts {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly messageBytes: number
  readonly ready?: Readiness | undefined
  readonly pending: Pending
  readonly onMessage: (message: Json) => void
  readonly onError: (error: unknown) => void
}

/** Messages come from the next turn on. */
export function createStdioPipe(parts: StdioPipeParts): StdioPipe {
  const { stdin, stdout, onError } = parts
  const reader = createLineReader(parts.messageBytes)
  const readOn = () => {
    if (!closed) stdin.resume()
  }
  const writer = createLineWriter(stdout, readOn)
  const entrance = createEntrance({ ...parts, onMessage, onTooDeep, onFree: readOn })
  let closed = false
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
      reader.push(chunk, entrance.take)
    } catch (error) {
      onError(error)
      close()
    }
    if (entrance.isHolding() || writer.waiting > UNREAD_BYTES) stdin.pause()
  }

  function onMessage(message: Json): void {
    if (closed) return
    try {
      parts.onMessage(message)
    } catch (error) {
      onError(error)
    }
  }

  function onTooDeep(message: Json): void {
    if (closed) return
    onError(new Error(TOO_DEEP))
    if (!isJsonObject(message) || typeof message.method !== 'string' || !isId(message.id)) return
    parts.pending.begin()
    const refusal = errorAnswer(message.id, new RpcError(RPC.invalidRequest, TOO_DEEP))
    writer.write(refusal, () => parts.pending.end())
  }

  /** Closing its end is how a client says that this is all. A message is one without a line break behind it, too. */
  function onEnd(): void {
    if (closed || isOver) return
    isOver = true
    reader.finish(entrance.take)
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

  return { writer, looked: Promise.race([entrance.looked, inputEnded, ended]), inputEnded, ended, close }
}
