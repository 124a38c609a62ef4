import { createWriteStream, openSync, type WriteStream } from 'node:fs'

/**
 * A stream into a file that must not be there yet, on the disk when the stream has ended. The file is made at
 * once: a stream that opens it by itself may do so after a failure, when its remains have been removed already.
 */
export function createNewFile(file: string): WriteStream {
  return createWriteStream(file, { fd: openSync(file, 'wx'), flush: true })
}
