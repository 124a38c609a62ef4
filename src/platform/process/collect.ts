import type { Readable } from 'node:stream'
import { KEPT_BYTES } from './starter.ts'

/** Gathers both output streams, counted together while they flow and never held beyond the cap. */
export interface Collector {
  take(): { readonly stdout: Buffer; readonly stderr: Buffer }
  /**
   * Resolves when both streams have ended. A process that escaped may hold them open for ever: after a silence
   * of `silenceMs`, or `longestMs` in all, they are closed from this side.
   */
  drain(silenceMs: number, longestMs: number): Promise<void>
}

export function collectOutput(
  stdout: Readable,
  stderr: Readable,
  outputBytes: number,
  onLimit: () => void,
): Collector {
  const streams = [stdout, stderr]
  const stores = [createStore(), createStore()] as const
  let seen = 0
  let open = streams.length
  let beyond = false
  let onClosed: () => void = () => {}

  const hangUp = () => {
    for (const stream of streams) stream.destroy()
  }
  streams.forEach((stream, index) => {
    stream.on('data', (chunk: Buffer) => {
      if (beyond) return
      seen += chunk.length
      stores[index === 0 ? 0 : 1].append(chunk)
      if (seen <= outputBytes) return
      beyond = true
      for (const store of stores) store.truncate(Math.min(KEPT_BYTES, outputBytes))
      // Whoever still writes gets EPIPE instead of a reader that throws everything away.
      hangUp()
      onLimit()
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      open--
      if (open === 0) onClosed()
    })
  })

  return {
    take: () => ({ stdout: stores[0].bytes(), stderr: stores[1].bytes() }),
    async drain(silenceMs, longestMs) {
      const closed = new Promise<void>((resolve) => {
        onClosed = resolve
        if (open === 0) resolve()
      })
      if (open === 0) return
      const stopWatching = watchSilence(() => seen, silenceMs, longestMs, hangUp)
      await closed
      stopWatching()
    },
  }
}

/**
 * The look at the counter comes one turn of the event loop after the timer: a loop that was blocked has then
 * read what was waiting, and a busy server does not mistake its own delay for silence.
 */
function watchSilence(
  count: () => number,
  silenceMs: number,
  longestMs: number,
  onSilence: () => void,
): () => void {
  const begun = performance.now()
  let before = count()
  let timer = setTimeout(look, silenceMs)
  let stopped = false
  function look(): void {
    setImmediate(() => {
      if (stopped) return
      if (count() === before || performance.now() - begun > longestMs) return onSilence()
      before = count()
      timer = setTimeout(look, silenceMs)
    })
  }
  return () => {
    stopped = true
    clearTimeout(timer)
  }
}

/** One growing buffer: a million one-byte writes must not become a million objects. */
function createStore() {
  let buffer: Buffer = Buffer.alloc(0)
  let length = 0
  return {
    append(chunk: Buffer): void {
      if (length === 0) {
        buffer = chunk
      } else {
        if (length + chunk.length > buffer.length) {
          const larger = Buffer.allocUnsafe(Math.max(2 * buffer.length, length + chunk.length, 4096))
          buffer.copy(larger, 0, 0, length)
          buffer = larger
        }
        chunk.copy(buffer, length)
      }
      length += chunk.length
    },
    /** Copies, so that the bytes beyond are given back. */
    truncate(bytes: number): void {
      buffer = Buffer.from(buffer.subarray(0, Math.min(length, bytes)))
      length = buffer.length
    },
    bytes: (): Buffer => buffer.subarray(0, length),
  }
}
