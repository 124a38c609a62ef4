import type { Readable } from 'node:stream'
import { drainStreams } from './drain.ts'
import { KEPT_BYTES } from './starter.ts'

/** Gathers both output streams, counted together while they flow and never held beyond the cap. */
export interface Collector {
  take(): { readonly stdout: Buffer; readonly stderr: Buffer }
  /** Resolves when both streams have ended, or were closed because nothing came any more. */
  drain(): Promise<void>
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
  let beyond = false

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
  })

  return {
    take: () => ({ stdout: stores[0].bytes(), stderr: stores[1].bytes() }),
    drain: () => drainStreams(streams, () => seen),
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
