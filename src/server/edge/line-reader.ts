const NEWLINE = 0x0a
const EMPTY = Buffer.alloc(0)

/** Cuts a stream of bytes into lines. Every byte is looked at once, and copied only when a line came in pieces. */
export interface LineReader {
  /** Throws when a line is longer than allowed; then the rest of the stream makes no sense any more. */
  push(chunk: Buffer, onLine: (line: string) => void): void
  /** Nothing more comes: what is left is a line too, if anything is. */
  finish(onLine: (line: string) => void): void
  clear(): void
}

export function createLineReader(maxBytes: number): LineReader {
  let pieces: Buffer[] = []
  let held = 0

  function check(bytes: number): void {
    if (held + bytes <= maxBytes) return
    throw new Error(`A message is longer than ${maxBytes} bytes`)
  }

  function lineWith(last: Buffer): string {
    if (held === 0) return last.toString()
    const line = Buffer.concat([...pieces, last], held + last.length).toString()
    clear()
    return line
  }

  function clear(): void {
    pieces = []
    held = 0
  }

  return {
    push(chunk, onLine) {
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        check(end - start)
        onLine(lineWith(chunk.subarray(start, end)))
        start = end + 1
      }
      if (start === chunk.length) return
      check(chunk.length - start)
      pieces.push(chunk.subarray(start))
      held += chunk.length - start
    },
    finish(onLine) {
      if (held > 0) onLine(lineWith(EMPTY))
    },
    clear,
  }
}
