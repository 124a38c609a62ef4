import { FRAME_MAX, HEADER } from './protocol.ts'

/** Writes one frame after another into memory it keeps. */
export interface FrameWriter {
  begin(kind: number, id: number): void
  u32(value: number): void
  u64(value: bigint): void
  /** Throws for a NUL, as `child_process` does: no word of a command line can carry one. */
  string(text: string): void
  strings(texts: readonly string[]): void
  bytes(bytes: Uint8Array): void
  /** The frame, in memory of its own. Throws `E2BIG` when the launcher would not take it. */
  end(): Buffer
}

export function createFrameWriter(): FrameWriter {
  let buffer = Buffer.allocUnsafe(KEPT)
  let at = 0

  function reserve(length: number): void {
    if (at + length <= buffer.length) return
    const larger = Buffer.allocUnsafe(2 * (at + length))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }

  function u32(value: number): void {
    reserve(4)
    at = buffer.writeUInt32LE(value, at)
  }

  function string(text: string): void {
    if (text.includes('\0')) throw nulByte(text)
    // No character of a string takes more than three bytes; length and NUL come around them.
    reserve(3 * text.length + 5)
    const length = buffer.write(text, at + 4)
    buffer.writeUInt32LE(length, at)
    at += 4 + length
    buffer[at++] = 0
  }

  return {
    begin(kind, id) {
      at = 4
      buffer[at++] = kind
      u32(id)
    },
    u32,
    u64(value) {
      reserve(8)
      at = buffer.writeBigUInt64LE(value, at)
    },
    string,
    strings(texts) {
      u32(texts.length)
      for (const text of texts) string(text)
    },
    bytes(bytes) {
      reserve(bytes.length)
      buffer.set(bytes, at)
      at += bytes.length
    },
    end() {
      if (at - 4 > FRAME_MAX) throw tooLarge()
      buffer.writeUInt32LE(at - 4, 0)
      const frame = Buffer.allocUnsafe(at)
      buffer.copy(frame, 0, 0, at)
      if (buffer.length > KEPT) buffer = Buffer.allocUnsafe(KEPT)
      return frame
    },
  }
}

const KEPT = 512 * 1024

/** For the few frames that are nothing but numbers. */
export function numbersFrame(kind: number, id: number, ...values: readonly number[]): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + 4 * values.length)
  frame.writeUInt32LE(frame.length - 4, 0)
  frame[4] = kind
  frame.writeUInt32LE(id, 5)
  values.forEach((value, index) => {
    frame.writeUInt32LE(value, HEADER + 4 * index)
  })
  return frame
}

function nulByte(text: string): NodeJS.ErrnoException {
  const shown = JSON.stringify(text.slice(0, 100))
  return Object.assign(new TypeError(`a word contains a NUL byte: ${shown}`), {
    code: 'ERR_INVALID_ARG_VALUE',
  })
}

function tooLarge(): NodeJS.ErrnoException {
  return Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG', syscall: 'spawn' })
}
