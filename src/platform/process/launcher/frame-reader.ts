import { FROM, HEADER } from './protocol.ts'

export type FrameSink = (kind: number, id: number, payload: Buffer) => void

/**
 * Cuts what arrives into frames, without copying: payloads are views. An output frame that has not arrived whole is
 * handed on in the pieces that come; the others are small and wait until they are complete.
 */
export function createFrameReader(sink: FrameSink): (chunk: Buffer) => void {
  let rest: Buffer | undefined
  let kind = 0
  let id = 0
  /** Of an output frame handed on in pieces. */
  let left = 0

  return (arrived) => {
    let at = 0
    if (left > 0) {
      at = Math.min(left, arrived.length)
      left -= at
      sink(kind, id, arrived.subarray(0, at))
    }
    const chunk = rest === undefined ? arrived : Buffer.concat([rest, arrived])
    rest = undefined
    while (chunk.length - at >= HEADER) {
      const from = at + HEADER
      const to = at + 4 + chunk.readUInt32LE(at)
      kind = chunk.readUInt8(at + 4)
      id = chunk.readUInt32LE(at + 5)
      if (to > chunk.length) {
        if (kind !== FROM.STDOUT && kind !== FROM.STDERR) break
        left = to - chunk.length
        if (from < chunk.length) sink(kind, id, chunk.subarray(from))
        return
      }
      sink(kind, id, chunk.subarray(from, to))
      at = to
    }
    if (at < chunk.length) rest = chunk.subarray(at)
  }
}
