import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { asFileError } from './file-error.ts'

/** Hands over a file line by line, however long it is. False when there is no such file. */
export async function readLinesIfThere(file: string, onLine: (line: string) => void): Promise<boolean> {
  const stream = createReadStream(file, 'utf8')
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      onLine(line)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw asFileError(error, `read ${file}`)
  } finally {
    stream.destroy()
  }
}
