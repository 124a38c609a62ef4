import type { Readable } from 'node:stream'

/** Takes a stream apart, only as fast as it is asked to. Undefined when the stream ends before. */
export interface Intake {
  line(): Promise<string | undefined>
  bytes(count: number): Promise<Buffer | undefined>
  rest(): Promise<Buffer>
}

export function createIntake(stream: Readable): Intake {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]()
  let held: Buffer = Buffer.alloc(0)

  /** A stream that breaks has ended. */
  async function next(): Promise<Buffer | undefined> {
    try {
      const { done, value } = await chunks.next()
      return done ? undefined : value
    } catch {
      return undefined
    }
  }

  function take(count: number): Buffer {
    const taken = held.subarray(0, count)
    held = held.subarray(taken.length)
    return taken
  }

  return {
    async line() {
      for (;;) {
        const end = held.indexOf(0x0a)
        if (end !== -1) return take(end + 1).toString('utf8', 0, end)
        const chunk = await next()
        if (chunk === undefined) return undefined
        held = Buffer.concat([held, chunk])
      }
    },
    async bytes(count) {
      if (held.length >= count) return take(count)
      const bytes = Buffer.allocUnsafe(count)
      for (let filled = 0; ; ) {
        filled += take(count - filled).copy(bytes, filled)
        if (filled === count) return bytes
        const chunk = await next()
        if (chunk === undefined) return undefined
        held = chunk
      }
    },
    async rest() {
      const parts = [take(held.length)]
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) parts.push(chunk)
      return Buffer.concat(parts)
    },
  }
}
