import { closeSync, constants, openSync, readSync } from 'node:fs'

/**
 * How much of a file's beginning is worth keeping. The text holds one character a byte. When all of
 * it is wanted and the file goes on, it is asked again with more.
 */
export type HeadEnd = (text: string) => number

/** Should a file have become a pipe since it was looked at, opening it must not wait for a writer. */
export const READ = constants.O_RDONLY | constants.O_NONBLOCK

// Most headers end within the first step; reading more than that at once costs nothing, decoding it does.
const STEPS = [1_024, 4_096, 16_384]
const FIRST_READ = 4_096
const NEWLINE = 10
const shared = Buffer.allocUnsafe(16_384)

/** The beginning of a regular file, at most 16 KiB, in whole lines where it was cut. */
export function readHead(path: string, headEnd: HeadEnd, opened?: number): string {
  const fd = opened ?? openSync(path, READ)
  try {
    let bytes = 0
    let isWhole = false
    for (const step of STEPS) {
      if (bytes < step && !isWhole) {
        const room = Math.max(step, FIRST_READ) - bytes
        const read = readSync(fd, shared, bytes, room, bytes)
        bytes += read
        isWhole = read < room
      }
      const length = Math.min(step, bytes)
      const end = headEnd(shared.toString('latin1', 0, length))
      if (end < length || (isWhole && length === bytes)) return shared.toString('utf8', 0, end)
    }
    const lastLine = shared.lastIndexOf(NEWLINE, bytes - 1) + 1
    return shared.toString('utf8', 0, lastLine > 0 ? lastLine : bytes)
  } finally {
    if (opened === undefined) closeSync(fd)
  }
}
