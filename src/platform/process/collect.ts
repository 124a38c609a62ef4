import type { Readable } from 'node:stream'
import { drainStreams } from './drain.ts'
import { createOutput } from './output.ts'

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
  const output = createOutput(outputBytes)
  let seen = 0
  let beyond = false

  streams.forEach((stream, index) => {
    stream.on('data', (chunk: Buffer) => {
      if (beyond) return
      seen += chunk.length
      if (output.add(index === 0 ? 0 : 1, chunk)) return
      beyond = true
      // Whoever still writes gets EPIPE instead of a reader that throws everything away.
      for (const one of streams) one.destroy()
      onLimit()
    })
    stream.on('error', () => {})
  })

  return {
    take: () => output.take(),
    drain: () => drainStreams(streams, () => seen),
  }
}
