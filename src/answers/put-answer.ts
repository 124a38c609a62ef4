import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makePath, putKeptFile, sweepParts } from '../platform/index.ts'

const MOST_ANSWERS = 16

/** Where it cannot be written, as in a read-only home, the next command finds out by itself. */
export function putAnswer(file: string, bytes: Uint8Array): void {
  try {
    const folder = dirname(file)
    makePath(folder, 0o700)
    putKeptFile(file, bytes)
    sweep(folder)
  } catch {
    // Nobody asked for it.
  }
}

/** Those that were made longest ago. */
function sweep(folder: string): void {
  sweepParts(folder)
  const names = readdirSync(folder)
  if (names.length <= MOST_ANSWERS) return
  const aged = names.map((name) => ({ path: join(folder, name), made: statSync(join(folder, name)).mtimeMs }))
  aged.sort((one, other) => other.made - one.made)
  for (const { path } of aged.slice(MOST_ANSWERS)) rmSync(path, { force: true })
}
