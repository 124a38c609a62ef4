import type { Readable, Writable } from 'node:stream'
import type { Json, JsonObject, Progress } from '../../model/index.ts'
import { hearBatch, NO_ANSWER_WORDS } from './batch.ts'
import { createLineSplitter } from './lines.ts'
import { answeredId, askedId, type Message, readBatch, readMessage, wrongId } from './message.ts'
import { readProgress } from './progress.ts'
import { createWaiters } from './waiters.ts'

/** JSON-RPC, a message a line, over the streams of one process. Requests are pipelined; answers come in any order. */
export interface Channel {
  /** `params` is given the id, which serves as progress token too. Throws, and nobody waits, when they are no JSON. */
  request(method: string, params: (id: number) => JsonObject, waiter: Waiter): Sent
  /** Whatever comes for this id is not expected any more. */
  forget(id: number): void
  notify(method: string, params?: JsonObject): void
  answer(id: Json, result: JsonObject): void
  refuse(id: Json, code: number, message: string): void
  /** Nothing will come any more: whoever waits hears why. Later requests do too. */
  fail(message: string): void
  /** Messages heard so far: who waits for a sign of life compares two looks. */
  heard(): number
}

export interface Sent {
  readonly id: number
  readonly bytes: number
}

export interface Waiter {
  /** Once at most. */
  readonly onAnswer: (answer: Answer) => void
  readonly onProgress?: (progress: Progress) => void
}

export type Answer =
  | { readonly kind: 'result'; readonly result: Json; readonly bytes: number }
  | { readonly kind: 'error'; readonly code: number; readonly message: string; readonly bytes: number }
  /** The answer was longer than an answer may be. */
  | { readonly kind: 'too-long'; readonly bytes: number }
  /** The process is gone, or is not talked to any more. */
  | { readonly kind: 'lost'; readonly message: string }

export interface ChannelOptions {
  readonly stdin: Writable
  readonly stdout: Readable
  /** Of one message. */
  readonly maxBytes: number
  readonly onNotification: (method: string, params: JsonObject) => void
  readonly onRequest: (id: Json, method: string) => void
  /** A line that is no message, or one that nobody waits for. */
  readonly onNoise: (text: string, why: Noise) => void
  /** A message that is too long and answers nothing that can be told. */
  readonly onTooLong: (bytes: number) => void
  /** More waits to be read by the process than is kept for it; what came on top is not sent. */
  readonly onUnread?: () => void
}

export type Noise = 'no message' | 'nobody waits for it' | 'more messages than a batch may hold'

export function createChannel(options: ChannelOptions): Channel {
  const {
    stdin,
    stdout,
    maxBytes,
    onNotification,
    onRequest,
    onNoise,
    onTooLong,
    onUnread = () => {},
  } = options
  const waiters = createWaiters()
  const write = createWriter(stdin, Math.max(LEAST_HELD, 2 * maxBytes), onUnread)
  /** What is to be answered to the batch that is being read. */
  let replies: string[] | undefined
  let heard = 0
  let lost: string | undefined

  const lines = createLineSplitter(maxBytes, {
    onLine(bytes) {
      const line = bytes.toString('utf8')
      const noise = takeLine(line, bytes.length)
      if (noise !== undefined) onNoise(line, noise)
    },
    onTooLong(head, tail, bytes) {
      heard++
      const ends = [head.toString('latin1'), tail.toString('latin1')] as const
      const asked = askedId(...ends)
      if (asked !== undefined)
        return refuse(asked, NO_MESSAGE, `a message may have at most ${maxBytes} bytes`)
      const id = answeredId(...ends)
      if (id === undefined || !answerWith(id, { kind: 'too-long', bytes })) onTooLong(bytes)
    },
  })
  stdout.on('data', lines.take)
  stdout.on('end', lines.finish)

  function takeLine(line: string, bytes: number): Noise | undefined {
    const message = readMessage(line)
    if (message !== undefined) {
      heard++
      return dispatch(message, bytes)
    }
    const batch = readBatch(line)
    if (batch !== undefined) {
      heard++
      return takeBatch(batch, bytes)
    }
    const id = wrongId(line)
    return id !== undefined && failWrong(id, bytes) ? undefined : 'no message'
  }

  function reply(message: JsonObject): void {
    const text = JSON.stringify(message)
    if (replies === undefined) write(text)
    else replies.push(text)
  }

  function refuse(id: Json, code: number, message: string): void {
    reply({ jsonrpc: '2.0', id, error: { code, message } })
  }

  /** What is asked in a batch is answered in one. */
  function takeBatch(batch: readonly Json[], bytes: number): Noise | undefined {
    const share = Math.ceil(bytes / batch.length)
    replies = []
    const noise = hearBatch(batch, {
      onMessage: (message) => dispatch(message, share),
      onWrongAnswer: (id, words) => failWrong(id, share, words),
    })
    if (replies.length > 0) write(`[${replies.join(',')}]`)
    replies = undefined
    return noise
  }

  /** Whoever waits for what cannot be read need not wait until the time is over. */
  function failWrong(id: Json, bytes: number, message = NO_ANSWER_WORDS): boolean {
    return answerWith(id, { kind: 'error', code: NO_MESSAGE, message, bytes })
  }

  function dispatch(message: Message, bytes: number): Noise | undefined {
    switch (message.kind) {
      case 'result':
        return noiseUnless(answerWith(message.id, { kind: 'result', result: message.result, bytes }))
      case 'error': {
        const { code, message: text } = message
        return noiseUnless(answerWith(message.id, { kind: 'error', code, message: text, bytes }))
      }
      case 'request':
        onRequest(message.id, message.method)
        return undefined
      case 'notification':
        if (message.method !== 'notifications/progress') onNotification(message.method, message.params)
        else passProgress(message.params)
        return undefined
    }
  }

  function answerWith(id: Json, answer: Answer): boolean {
    const waiter = waiters.take(id)
    waiter?.onAnswer(answer)
    return waiter !== undefined
  }

  /** Progress of a call that has just ended is nothing to speak of. */
  function passProgress(params: JsonObject): void {
    const progress = readProgress(params)
    if (progress !== undefined) waiters.get(params.progressToken ?? null)?.onProgress?.(progress)
  }

  return {
    request(method, params, waiter) {
      if (lost !== undefined) {
        waiter.onAnswer({ kind: 'lost', message: lost })
        return NOT_SENT
      }
      const id = waiters.add(waiter)
      try {
        // Put together by hand: it is what nearly every message is, and takes a quarter of the time.
        const asked = `"method":${JSON.stringify(method)},"params":${JSON.stringify(params(id))}`
        return { id, bytes: write(`{"jsonrpc":"2.0","id":${id},${asked}}`) }
      } catch (error) {
        waiters.take(id)
        throw error
      }
    },
    forget(id) {
      waiters.take(id)
    },
    notify(method, params) {
      write(JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) }))
    },
    answer(id, result) {
      reply({ jsonrpc: '2.0', id, result })
    },
    refuse,
    fail(message) {
      lost ??= message
      for (const { onAnswer } of waiters.takeAll()) onAnswer({ kind: 'lost', message })
    },
    heard: () => heard,
  }
}

/** No answer is expected under this number. */
const NOT_SENT: Sent = { id: 0, bytes: 0 }

const NO_MESSAGE = -32600

function noiseUnless(isAwaited: boolean): Noise | undefined {
  return isAwaited ? undefined : 'nobody waits for it'
}

/** What a process may leave unread before it is given up. */
const LEAST_HELD = 64 * 1_048_576

/** What is written in one turn leaves in one piece; while the process does not read, it is held here. Returns how many bytes a message takes. */
function createWriter(stdin: Writable, maxHeld: number, onUnread: () => void): (message: string) => number {
  let held = ''
  let blocked = false
  let scheduled = false

  function flush(): void {
    scheduled = false
    if (blocked || held === '' || stdin.destroyed || stdin.writableEnded) return
    const text = held
    held = ''
    blocked = !stdin.write(text)
    if (blocked) {
      stdin.once('drain', () => {
        blocked = false
        flush()
      })
    }
  }

  return (message) => {
    const line = `${message}\n`
    if (held.length + line.length > maxHeld) {
      onUnread()
      return 0
    }
    held += line
    if (!scheduled && !blocked) {
      scheduled = true
      process.nextTick(flush)
    }
    return Buffer.byteLength(line)
  }
}
