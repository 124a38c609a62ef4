import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameReader } from './frame-reader.ts'
import { createFrameWriter } from './frame-writer.ts'
import { FROM } from './protocol.ts'

describe('the frame reader', () => {
  it('finds the same frames wherever the stream is cut', () => {
    const kinds = fc.constantFrom(...Object.values(FROM))
    const frames = fc.array(fc.tuple(kinds, fc.nat(4095), fc.uint8Array({ maxLength: 60 })), { maxLength: 8 })
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sent, sizes) => {
        const writer = createFrameWriter()
        const stream = Buffer.concat(
          sent.map(([kind, id, payload]) => {
            writer.begin(kind, id)
            writer.bytes(payload)
            return writer.end()
          }),
        )
        const heard: string[] = []
        const read = createFrameReader((kind, id, payload) => heard.push(...described(kind, id, payload)))
        for (let at = 0, index = 0; at < stream.length; index++) {
          const size = sizes[index % sizes.length] ?? 1
          read(stream.subarray(at, at + size))
          at += size
        }
        expect(heard).toEqual(
          sent.flatMap(([kind, id, payload]) => described(kind, id, Buffer.from(payload))),
        )
      }),
      { numRuns: 500 },
    )
  })
})

/** Output may come in pieces, so it is compared byte by byte; other frames come whole. */
function described(kind: number, id: number, payload: Buffer): string[] {
  if (kind !== FROM.STDOUT && kind !== FROM.STDERR) return [`${kind} ${id} ${payload.toString('hex')}`]
  return Array.from(payload, (byte) => `${kind} ${id} ${byte}`)
}
