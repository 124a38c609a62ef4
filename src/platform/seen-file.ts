import type { FileNumbers } from './look-at-many.ts'
import type { ScannedFile } from './scan.ts'

/** Numbers of one file. */
const ROW = 5
/** So many files share a block of numbers. */
const BLOCK = 256

/**
 * A file as the scan has seen it. Ten thousand of these live as long as the server, hence a class, and numbers that
 * are not objects of their own.
 */
class SeenFile implements ScannedFile {
  private readonly root: string
  readonly relative: string
  private readonly numbers: Float64Array
  private readonly at: number

  constructor(root: string, relative: string, numbers: Float64Array, at: number) {
    this.root = root
    this.relative = relative
    this.numbers = numbers
    this.at = at
  }

  get path(): string {
    return `${this.root}/${this.relative}`
  }

  get mtimeMs(): number {
    return this.numbers[this.at] ?? 0
  }

  get ctimeMs(): number {
    return this.numbers[this.at + 1] ?? 0
  }

  get size(): number {
    return this.numbers[this.at + 2] ?? 0
  }

  get mode(): number {
    return this.numbers[this.at + 3] ?? 0
  }

  get ino(): number {
    return this.numbers[this.at + 4] ?? 0
  }
}

/** `few`: of these files each may outlive the others, so they share nothing. */
export function createSeenFiles(
  root: string,
  few: boolean,
): (relative: string, numbers: FileNumbers) => ScannedFile {
  let numbers = new Float64Array()
  let used = 0
  return (relative, { mtimeMs, ctimeMs, size, mode, ino }) => {
    if (used === numbers.length) {
      numbers = new Float64Array(few ? ROW : ROW * BLOCK)
      used = 0
    }
    const at = used
    used += ROW
    numbers[at] = mtimeMs
    numbers[at + 1] = ctimeMs
    numbers[at + 2] = size
    numbers[at + 3] = mode
    numbers[at + 4] = ino
    return new SeenFile(root, relative, numbers, at)
  }
}
