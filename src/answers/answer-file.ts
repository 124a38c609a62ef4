import { readFileSync } from 'node:fs'
import { sumOf } from './sum.ts'

/** What was printed, and all that was looked at for it. */
export interface Answer extends Head {
  /** What `lookAt` takes. */
  readonly paths: Uint8Array
  /** What `lookAt` gave for them, as bytes. */
  readonly stamps: Uint8Array
  /** In the order they were printed. */
  readonly pieces: readonly Piece[]
}

export interface Piece {
  readonly fd: 1 | 2
  readonly bytes: Uint8Array
}

interface Head {
  readonly question: string
  /** In milliseconds since 1970. */
  readonly made: number
  /** Variables that were read, null for those that were not set. */
  readonly variables: Readonly<Record<string, string | null>>
  /** Paths that were followed to their end, and where that was. */
  readonly ends: Readonly<Record<string, string>>
}

interface WrittenHead extends Head {
  readonly lengths: readonly [paths: number, stamps: number]
  readonly pieces: readonly (readonly [fd: 1 | 2, length: number])[]
}

/** Changes with the form of the file. */
const MARK = 0x6f726c31
const MARK_BYTES = 8
const SUM_BYTES = 4

export function answerBytes({ paths, stamps, pieces, question, made, variables, ends }: Answer): Buffer {
  const written: WrittenHead = {
    question,
    made,
    variables,
    ends,
    lengths: [paths.length, stamps.length],
    pieces: pieces.map(({ fd, bytes }) => [fd, bytes.length]),
  }
  const head = Buffer.from(JSON.stringify(written))
  const mark = Buffer.alloc(MARK_BYTES)
  mark.writeUInt32LE(MARK, 0)
  mark.writeUInt32LE(head.length, 4)
  const parts = [mark, head, paths, stamps, ...pieces.map(({ bytes }) => bytes)]
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  // The sum is one of whole words.
  const end = Buffer.alloc(Math.ceil(length / SUM_BYTES) * SUM_BYTES - length + SUM_BYTES)
  const all = Buffer.concat([...parts, end])
  all.writeInt32LE(sumOf(all.subarray(0, -SUM_BYTES)), all.length - SUM_BYTES)
  return all
}

/** Undefined when there is none, or not as it was written. */
export function readAnswer(file: string): Answer | undefined {
  try {
    return parse(readFileSync(file))
  } catch {
    return undefined
  }
}

function parse(all: Buffer): Answer | undefined {
  const end = all.length - SUM_BYTES
  if (
    end < MARK_BYTES ||
    all.readUInt32LE(0) !== MARK ||
    all.readInt32LE(end) !== sumOf(all.subarray(0, end))
  )
    return undefined
  let at = MARK_BYTES
  const next = (length: number) => {
    at += length
    return all.subarray(at - length, at)
  }
  const head = JSON.parse(next(all.readUInt32LE(4)).toString()) as WrittenHead // it is as we wrote it: the sum says so
  const [paths, stamps] = [next(head.lengths[0]), next(head.lengths[1])]
  const pieces = head.pieces.map(([fd, length]) => ({ fd, bytes: next(length) }))
  return end - at >= 0 && end - at < SUM_BYTES ? { ...head, paths, stamps, pieces } : undefined
}
