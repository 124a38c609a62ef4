import { Readable } from 'node:stream'
import type { Options, ZipFile } from 'yauzl'

/**
 * Opens a zip that is in memory. What the library asks for is given at once: by itself it would wait a turn of the
 * event loop for each of the four reads that an entry takes.
 */
export async function openHeldZip(bytes: Buffer, options: Options): Promise<ZipFile> {
  const { RandomAccessReader, fromRandomAccessReaderPromise } = await import('yauzl')
  class Held extends RandomAccessReader {
    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null, read: number) => void,
    ): void {
      const found = bytes.subarray(position, position + length)
      callback(null, found.copy(buffer, offset))
    }

    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(piecesOf(bytes.subarray(start, end)))
    }
  }
  return fromRandomAccessReaderPromise(new Held(), bytes.length, options)
}

const PIECE = 64 * 1024

function* piecesOf(bytes: Buffer): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}
