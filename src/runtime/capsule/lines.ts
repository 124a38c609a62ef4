/** Splits a stream into lines. What is inside one chunk is not copied; nothing is looked at twice. */
export interface LineSplitter {
  readonly take: (chunk: Buffer) => void
  /** The stream has ended: a last line without an end is one too. */
  readonly finish: () => void
}

export interface LineListener {
  /** Without its end; empty lines are left out. The bytes are only valid during the call. */
  readonly onLine: (line: Buffer) => void
  /** The line was longer than it may be: how it begins and how it ends. */
  readonly onTooLong: (head: Buffer, tail: Buffer, bytes: number) => void
}

const NEWLINE = 10
const RETURN = 13
/** Of a line that is too long. */
const KEPT_ENDS = 256

export function createLineSplitter(maxBytes: number, { onLine, onTooLong }: LineListener): LineSplitter {
  let parts = createParts()
  /** Of a line that became too long: its ends are all that is kept. */
  let head: Buffer | undefined
  let tail: Buffer = EMPTY
  let length = 0

  function add(part: Buffer): void {
    length += part.length
    if (length <= maxBytes) {
      parts.add(part)
      return
    }
    if (head === undefined) {
      const before = parts.join()
      head = Buffer.concat([before.subarray(0, KEPT_ENDS), part.subarray(0, KEPT_ENDS)]).subarray(
        0,
        KEPT_ENDS,
      )
      tail = before.subarray(-KEPT_ENDS)
      parts = createParts()
    }
    tail = Buffer.concat([tail, part.subarray(-KEPT_ENDS)]).subarray(-KEPT_ENDS)
  }

  function end(): void {
    if (head === undefined) give(parts.join())
    else onTooLong(head, tail, length)
    parts = createParts()
    head = undefined
    tail = EMPTY
    length = 0
  }

  function give(line: Buffer): void {
    const last = line[line.length - 1] === RETURN ? line.length - 1 : line.length
    if (last > 0) onLine(line.subarray(0, last))
  }

  return {
    take(chunk) {
      let from = 0
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const part = chunk.subarray(from, at)
        from = at + 1
        if (length === 0 && part.length <= maxBytes) give(part)
        else {
          add(part)
          end()
        }
      }
      if (from < chunk.length) add(chunk.subarray(from))
    },
    finish() {
      if (length > 0) end()
    },
  }
}

const EMPTY = Buffer.alloc(0)
/** Smaller pieces are gathered: a million of one byte must not become a million objects. */
const SMALL = 4 * 1024
const BLOCK = 64 * 1024

/** The pieces of one line. Large ones are kept as they came and put together once, at its end. */
function createParts() {
  const parts: Buffer[] = []
  let block: Buffer = EMPTY
  let filled = 0

  function closeBlock(): void {
    if (filled > 0) parts.push(block.subarray(0, filled))
    block = EMPTY
    filled = 0
  }
  return {
    add(part: Buffer): void {
      if (part.length >= SMALL) {
        closeBlock()
        parts.push(part)
        return
      }
      if (filled + part.length > block.length) {
        const size = parts.length === 0 && filled === 0 ? SMALL : BLOCK
        closeBlock()
        block = Buffer.allocUnsafe(size)
      }
      part.copy(block, filled)
      filled += part.length
    },
    join(): Buffer {
      closeBlock()
      return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)
    },
  }
}
