import type { Dirent, Stats } from 'node:fs'
import { LOOK_NUMBERS, lookAt, looksNatively } from './look-at.ts'

/** What tells whether a file is the one that was seen before. */
export type FileNumbers = Pick<Stats, 'mtimeMs' | 'ctimeMs' | 'size' | 'mode' | 'ino'>

/** The files of a folder, looked at together. It has the numbers of the one that was asked about last. */
export interface LookedAt extends FileNumbers {
  /** Whether the entry at that place is a file, and was one that was looked at. */
  isFile(at: number): boolean
}

/** Fewer are looked at one by one as quickly. */
const MANY = 64
const [KIND, FILE] = [0o170000, 0o100000]

/**
 * Undefined for a folder of few files, and without the library. Of whatever turns out to be something else nothing is told: who wants to know
 * asks the system about that one, which has words for it.
 */
export function lookAtMany(
  folder: string,
  entries: readonly Dirent[],
  isWanted: (entry: Dirent) => boolean,
): LookedAt | undefined {
  if (entries.length < MANY || !looksNatively()) return undefined
  const rows = new Int32Array(entries.length).fill(NONE)
  let paths = ''
  let count = 0
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] as Dirent // it is in there
    // A name that is not what the system calls it would not be found.
    if (!entry.isFile() || entry.name.includes('\ufffd') || !isWanted(entry)) continue
    rows[at] = count++
    paths += `l${folder}/${entry.name}\0`
  }
  if (count < MANY) return undefined
  const numbers = new Float64Array(count * LOOK_NUMBERS)
  lookAt(Buffer.from(paths), numbers)
  return new Looked(rows, numbers)
}

const NONE = -1

class Looked implements LookedAt {
  private readonly rows: Int32Array
  private readonly numbers: Float64Array
  private first = 0

  constructor(rows: Int32Array, numbers: Float64Array) {
    this.rows = rows
    this.numbers = numbers
  }

  isFile(at: number): boolean {
    const row = this.rows[at] ?? NONE
    if (row === NONE) return false
    this.first = row * LOOK_NUMBERS
    return (this.mode & KIND) === FILE
  }

  get mtimeMs(): number {
    return this.numbers[this.first] ?? 0
  }

  get ctimeMs(): number {
    return this.numbers[this.first + 1] ?? 0
  }

  get size(): number {
    return this.numbers[this.first + 2] ?? 0
  }

  get ino(): number {
    return this.numbers[this.first + 3] ?? 0
  }

  get mode(): number {
    return this.numbers[this.first + 4] ?? 0
  }
}
