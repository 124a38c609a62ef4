import { writeSync } from 'node:fs'

const LINE_BREAK = 0x0a

/**
 * Writes lines to a file while there is room. What a full disk leaves out is counted, and told as soon as there is room
 * again. `onFull` hears of the first failure after a success.
 */
export function createRecordWriter(
  fd: () => number,
  onFull: (error: Error) => void = () => {},
): (lines: Uint8Array) => void {
  let dropped = 0
  let isFull = false
  /** A part of a line was written: the next one must not become its end. */
  let isTorn = false

  function put(bytes: Uint8Array): boolean {
    let at = 0
    try {
      while (at < bytes.length) at += writeSync(fd(), bytes, at)
      isFull = false
      isTorn = false
      return true
    } catch (error) {
      if (at > 0) isTorn = bytes[at - 1] !== LINE_BREAK
      dropped += lineCount(bytes.subarray(at))
      if (!isFull) onFull(error as Error)
      isFull = true
      return false
    }
  }

  function putDropped(): boolean {
    const before = dropped
    if (before === 0) return true
    const isThere = put(Buffer.from(`${isTorn ? '\n' : ''}${droppedRecord(before)}`))
    dropped = isThere ? 0 : before
    return isThere
  }

  return (lines) => {
    if (putDropped()) put(lines)
    else dropped += lineCount(lines)
  }
}

export function droppedRecord(dropped: number): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level: 'warn', msg: 'log records dropped', dropped })}\n`
}

export function lineCount(lines: Uint8Array): number {
  return lines.reduce((count, byte) => (byte === LINE_BREAK ? count + 1 : count), 0)
}
