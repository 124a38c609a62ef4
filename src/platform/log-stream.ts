import { closeSync, fstatSync, openSync } from 'node:fs'
import { createRecordWriter, droppedRecord, lineCount } from './record-writer.ts'

/** What takes lines of the log as they are. */
export interface Stream {
  /** Tells whether it is through with the bytes. */
  readonly write: (lines: Uint8Array) => boolean
  /** Opens the file again, so that a rotated log is continued under its name. */
  reopen(): void
  close(): void
  readonly colours: boolean
}

/** More than this waiting for a slow reader, and records are dropped (and counted) instead of filling memory. */
const MAX_WAITING_BYTES = 8 * 1_048_576

export function openStderrStream(stderr: NodeJS.WriteStream, colours: boolean): Stream {
  const file = fileOf(stderr)
  const write = file === undefined ? writeToReader(stderr) : writeToFile(file)
  return { colours, reopen() {}, close() {}, write }
}

/** Node's own stream would be silent for good once the disk was full. */
function writeToFile(fd: number): Stream['write'] {
  const put = createRecordWriter(() => fd)
  return (lines) => {
    put(lines)
    return true
  }
}

function writeToReader(stderr: NodeJS.WriteStream): Stream['write'] {
  let dropped = 0
  let closed = false
  // The reader may vanish at any time; a server does not end because nobody listens to its log.
  stderr.on('error', () => {
    closed = true
  })
  return (lines) => {
    if (closed) return true
    if (stderr.writableLength > MAX_WAITING_BYTES) {
      dropped += lineCount(lines)
      return true
    }
    if (dropped > 0) stderr.write(droppedRecord(dropped))
    dropped = 0
    stderr.write(lines)
    return stderr.writableLength === 0
  }
}

/** Of a file, or of a device like /dev/full, which Node writes to as to a file. */
function fileOf({ fd, isTTY }: NodeJS.WriteStream & { readonly fd?: number }): number | undefined {
  if (isTTY || fd === undefined) return undefined
  try {
    const stats = fstatSync(fd)
    return stats.isFile() || stats.isCharacterDevice() ? fd : undefined
  } catch {
    return undefined // it was closed before the program began
  }
}

export function openFileStream(file: string, stderr: NodeJS.WriteStream): Stream {
  let fd = openSync(file, 'a', 0o600)
  let said: Stream | undefined
  const say = (words: string) => {
    said ??= openStderrStream(stderr, false)
    said.write(Buffer.from(`${words}\n`))
  }
  const put = createRecordWriter(
    () => fd,
    // A full disk must not end the server; it is said once where someone may see it.
    (error) => say(`orla: cannot write ${file}: ${error.message}`),
  )
  return {
    colours: false,
    reopen() {
      try {
        const next = openSync(file, 'a', 0o600)
        closeSync(fd)
        fd = next
      } catch (error) {
        // Its folder is gone: what is open stays the log.
        say(`cannot open ${file} again: ${(error as Error).message}`)
      }
    },
    close: () => closeSync(fd),
    write(lines) {
      put(lines)
      return true
    },
  }
}
