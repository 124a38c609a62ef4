import { closeSync, constants, openSync, readSync } from 'node:fs'

/**
 * Makes something of the beginning of a file. When it goes on and more of it is needed the answer is
 * undefined, and the question comes again with more.
 */
export type TakeHead<T> = (text: string, goesOn: boolean) => T | undefined

/** Should a file have become a pipe since it was looked at, opening it must not wait for a writer. */
export const READ = constants.O_RDONLY | constants.O_NONBLOCK

// Most headers end within the first step; reading more than that at once costs nothing, decoding it does.
const STEPS = [1_024, 4_096, 16_384]
const FIRST_READ = 4_096
const NEWLINE = 10
const shared = Buffer.allocUnsafe(16_384)

/** What is made of the beginning of a regular file: at most 16 KiB, then in whole lines. */
export function readHead<T>(path: string, take: TakeHead<T>): T | undefined {
  const fd = openSync(path, READ)
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
      const goesOn = !isWhole || length < bytes
      const taken = take(shared.toString('utf8', 0, length), goesOn)
      if (taken !== undefined || !goesOn) return taken
    }
    const lastLine = shared.lastIndexOf(NEWLINE, bytes - 1) + 1
    return take(shared.toString('utf8', 0, lastLine > 0 ? lastLine : bytes), false)
  } finally {
    closeSync(fd)
  }
}
