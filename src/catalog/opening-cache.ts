import { join } from 'node:path'
import { fingerprint, type Opening } from '../formats/index.ts'
import {
  createOrderedLookup,
  readPrivateFile,
  type ScannedFile,
  writePrivateFile,
} from '../platform/index.ts'
import { decodeCache, encodeCache, FIELDS } from './cache-file.ts'
import { isSound, KeptOpening } from './kept-opening.ts'
import { isSettledReading, type Reading } from './reading.ts'

/**
 * What the beginnings of files said, kept for the next process: one file for each folder of tools. An answer
 * counts only for a file whose times, size, mode and number are those it had when it was read.
 */
export interface OpeningCache {
  load(root: string): (reading: Reading) => Opening | undefined
  /** Writes when enough was read that the file does not say yet. */
  save(root: string, readings: readonly Reading[]): void
}

const LARGEST = 64 * 1_048_576
// Guesses: what a cache saves at a hundred files is within the noise, at ten thousand it is half.
const FEW = 20
const WORTH_WRITING = 10

export function worthLoading(unread: number): boolean {
  return unread >= FEW
}

export function createOpeningCache(folder: string): OpeningCache {
  const fileOf = (root: string) => join(folder, `${fingerprint(root)}.bin`)
  return {
    load(root) {
      const bytes = readPrivateFile(fileOf(root), LARGEST)
      const cached = bytes && decodeCache(bytes, root)
      if (cached === undefined) return () => undefined
      const indexOf = createOrderedLookup(cached.paths.length, (index) => cached.paths[index])
      return ({ file }) => {
        const index = indexOf(file.relative)
        if (index < 0 || !isSame(file, cached.stats, index) || !isSound(cached, index)) return undefined
        return new KeptOpening(cached, index)
      }
    },
    save(root, readings) {
      if (readings.length < FEW) return
      const fresh = readings.filter((reading) => !reading.isCached && isWorthKeeping(reading))
      if (fresh.length < WORTH_WRITING) return
      const kept = readings.flatMap((reading) => {
        const { file, opening } = reading
        return opening !== undefined && isWorthKeeping(reading) ? [{ file, opening }] : []
      })
      if (!writePrivateFile(fileOf(root), encodeCache(root, kept))) return
      for (const reading of fresh) reading.isCached = true
    },
  }
}

/** What may have changed since without a trace would be taken for unchanged for good. */
function isWorthKeeping(reading: Reading): boolean {
  if (reading.opening === undefined || reading.sidecar !== undefined) return false
  return reading.isCached || isSettledReading(reading)
}

function isSame(file: ScannedFile, stats: Float64Array, index: number): boolean {
  const at = index * FIELDS.length
  // One after the other: a loop over their names takes three times as long.
  return (
    stats[at] === file.mtimeMs &&
    stats[at + 1] === file.ctimeMs &&
    stats[at + 2] === file.size &&
    stats[at + 3] === file.mode &&
    stats[at + 4] === file.ino
  )
}
