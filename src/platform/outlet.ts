import { constants, fstatSync, openSync, type Stats, writeSync } from 'node:fs'
import { asFileError } from './file-error.ts'

/** Where lines go, whoever reads them. */
export interface Outlet {
  readonly isTTY?: boolean
  /** Of a terminal. */
  readonly columns?: number
  readonly rows?: number
  write(text: string | Uint8Array): unknown
}

/**
 * Writes to a file or pipe at once: opening a stream for the few lines of a command takes longer than most commands
 * need for their work. Terminals, sockets and everything else have Node's stream, and a pipe gets it when it is full,
 * for a reader that is slow.
 */
export function createOutlet(fd: 1 | 2, openStream: () => NodeJS.WriteStream): Outlet {
  return createPlainOutlet(fd, openStream, (error) => asFileError(error, 'write the output'))
}

/** The same for who has other words for what fails. */
export function createPlainOutlet(
  fd: 1 | 2,
  openStream: () => NodeJS.WriteStream,
  inWords = (error: unknown): unknown => error,
): Outlet {
  const found = targetOf(fd)
  if (found === undefined) return openStream()
  const { target } = found
  let room = found.bytes
  let stream: NodeJS.WriteStream | undefined

  /** What was not written. */
  function writeNow(bytes: Uint8Array): Uint8Array {
    room -= bytes.length + PIECE_BYTES
    if (room < 0) return bytes
    let rest = bytes
    try {
      while (rest.length > 0) rest = rest.subarray(writeSync(target, rest))
      return rest
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // `orla list | head` closes the pipe early; that is no failure of ours.
      if (code === 'EPIPE') return NOTHING
      if (code === 'EAGAIN') return rest
      // Nobody can be told what cannot be said.
      if (fd === 2) return NOTHING
      throw inWords(error)
    }
  }

  return {
    isTTY: false,
    write(text) {
      const rest = stream ? text : writeNow(typeof text === 'string' ? Buffer.from(text) : text)
      if (rest.length === 0) return
      stream ??= openStream()
      stream.write(rest)
    },
  }
}

const NOTHING = new Uint8Array(0)

interface Target {
  readonly target: number
  /** How much may be written without waiting for a reader. */
  readonly bytes: number
}

function targetOf(fd: number): Target | undefined {
  const isLinux = process.platform === 'linux'
  try {
    const stats = fstatSync(fd)
    if (stats.isFile() || isNothing(stats)) return { target: fd, bytes: Number.POSITIVE_INFINITY }
    // Who starts programs from Node reads them by sockets. One that has not been written to has room for so much.
    if (stats.isSocket() && isLinux) return { target: fd, bytes: SOCKET_BYTES }
    if (!stats.isFIFO() || !isLinux) return undefined
    // Opened once more, because others who have this pipe must not be told not to wait.
    const flags = constants.O_WRONLY | constants.O_NONBLOCK
    return { target: openSync(`/proc/self/fd/${fd}`, flags), bytes: Number.POSITIVE_INFINITY }
  } catch {
    return undefined // closed, or not to be opened
  }
}

/** Three quarters of what Linux gives a socket. */
const SOCKET_BYTES = 160_000
/** What it takes for each piece besides, and a little more. */
const PIECE_BYTES = 1_024

/** /dev/null and its like on Linux, which are no terminals. */
function isNothing(stats: Stats): boolean {
  return process.platform === 'linux' && stats.isCharacterDevice() && ((stats.rdev >> 8) & 0xfff) === 1
}
