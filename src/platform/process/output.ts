import { KEPT_BYTES } from './starter.ts'

/** Both outputs of a program, counted together and never held beyond the cap. */
export interface Output {
  /** `stream` is 0 for standard output, 1 for standard error. False once there was too much. */
  add(stream: 0 | 1, bytes: Buffer): boolean
  take(): { readonly stdout: Buffer; readonly stderr: Buffer }
}

export function createOutput(outputBytes: number): Output {
  const stores = [createStore(), createStore()] as const
  let seen = 0
  return {
    add(stream, bytes) {
      if (seen > outputBytes) return false
      seen += bytes.length
      stores[stream].append(bytes)
      if (seen <= outputBytes) return true
      for (const store of stores) store.truncate(Math.min(KEPT_BYTES, outputBytes))
      return false
    },
    take: () => ({ stdout: stores[0].bytes(), stderr: stores[1].bytes() }),
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
